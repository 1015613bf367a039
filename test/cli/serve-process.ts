import { waitUntil } from '../support/wait-until.ts';
import { type RunningCli, startCli } from './run-cli.ts';

export interface ServeProcess extends RunningCli {
  readonly url: string;
  /** Path of each bot's webhook. */
  readonly webhooks: Readonly<Record<string, string>>;
}

/** `replylane serve` as a process of its own, on a port of its own, listening; the test must end it. */
export async function startServe(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ServeProcess> {
  const running = startCli(['serve', '--json', '--port', '0', ...args], { env });
  const ready = waitUntil(() => running.stdout().includes('\n'), {
    withinMs: 60_000,
    what: () => `serve to listen, with ${running.stderr()}`,
  });
  await Promise.race([ready, running.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const said = JSON.parse(running.stdout()) as Pick<ServeProcess, 'url' | 'webhooks'>;
  return { ...running, ...said };
}

/** What Telegram delivers when somebody writes `text` in a chat. */
export function telegramUpdate(updateId: number, chat: number, text: string): string {
  return JSON.stringify({
    update_id: updateId,
    message: {
      message_id: updateId,
      date: 1_764_583_200,
      chat: { id: chat, type: 'private' },
      from: { id: chat, is_bot: false, first_name: 'Anna' },
      text,
    },
  });
}

/** Delivers an update as Telegram does. Resolves with the status. */
export async function deliver(webhook: string, secret: string, update: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
  const response = await fetch(webhook, { method: 'POST', headers, body: update });
  await response.arrayBuffer();
  return response.status;
}
