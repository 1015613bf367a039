import type { ReplyRecord } from '../../domain/record.ts';
import { step } from '../support/fake-service/index.ts';
import { type Rig, textReply } from '../support/rig/rig.ts';

/** What must stand in no log and in no metric. */
export const drillText = 'The code of your safe is 4711-XYZ';
export const drillChats = {
  sent: 731_000_001,
  flood: 731_000_002,
  unknown: 731_000_003,
  rejected: 731_000_004,
};

export const drillBot = 'drill';
/** For `Rig.start`: an answer that never comes is given up soon. */
export const drillBots = { [drillBot]: { settings: { httpTimeoutMs: 1000 } } };

/** One reply that is sent, one that meets a flood first, one that nobody can know of, and one that is refused. */
export async function drill(rig: Rig): Promise<void> {
  const scripts = {
    flood: step.flood(1),
    unknown: step.silence({ store: true }),
    rejected: step.forbidden(),
  };
  await rig.untilLaneIsOld(drillBot);
  for (const [key, chat] of Object.entries(drillChats)) {
    const script = scripts[key as keyof typeof scripts];
    if (script) rig.fake.script(drillBot, { chat, times: 1 }, script);
    await rig.start(textReply(drillBot, key, chat, { text: drillText }));
    await rig.until(drillBot, key, isSettled);
  }
}

/** Token, text and destinations of the drill, by what they are. */
export function drillSecrets(rig: Rig): Readonly<Record<string, string>> {
  const chats = Object.entries(drillChats).map(([key, chat]) => [`chat of ${key}`, String(chat)]);
  return { token: rig.sender(drillBot).token, text: drillText, ...Object.fromEntries(chats) } as Record<
    string,
    string
  >;
}

function isSettled({ state }: ReplyRecord): boolean {
  return state === 'sent' || state === 'rejected' || state === 'review';
}
