import { join } from 'node:path';
import type { ReplyRecord } from '../../domain/record.ts';
import type { StoredMessage } from '../../test/support/fake-service/index.ts';
import { runCommand } from '../temporal/command.ts';
import { packageRoot } from '../temporal/package-root.ts';
import type { PlannedReply } from './plan.ts';
import type { Decided } from './staged.ts';

const commandWithinMs = 30_000;

/** A decision as a person takes it, who has looked into the chat. */
export interface Decision {
  readonly reply: ReplyRecord;
  readonly decision: 'sent' | 'not_sent';
  /** Arguments of `replylane`. */
  readonly args: readonly string[];
}

/** What a person sees who looks into the chats. */
export interface Chats {
  stored(bot: string): readonly Pick<StoredMessage, 'text' | 'messageId'>[];
}

/** Looks whether the message stands in the chat, which is what a reviewer does, and says what to decide. */
export function decisionFor(reply: ReplyRecord, planned: readonly PlannedReply[], chats: Chats): Decision {
  const text = planned.find(({ key }) => key === reply.key)?.text;
  const found = chats.stored(reply.bot).find((message) => message.text === text);
  const decision = found === undefined ? 'not_sent' : 'sent';
  const where = found === undefined ? 'the chat does not have it' : 'it stands in the chat';
  const attempt = String(reply.review?.attempt ?? 0);
  const messageId = found === undefined ? [] : ['--message-id', String(found.messageId)];
  const what = ['--attempt', attempt, '--decision', decision, ...messageId];
  const args = ['review', 'decide', reply.id, ...what, '--by', 'demo', '--reason', where, '--json'];
  return { reply, decision, args };
}

/** The line that a person would type in the clone. */
export function commandLine(args: readonly string[], address: string): string {
  const words = args.map((word) => (/^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`));
  return `TEMPORAL_ADDRESS=${address} node bin/replylane.mjs ${words.join(' ')}`;
}

/** Runs that very command. */
export async function decide(
  { reply, decision, args }: Decision,
  where: { readonly env: NodeJS.ProcessEnv; readonly address: string; readonly webUi: string },
): Promise<Decided> {
  const root = packageRoot();
  const result = await runCommand(process.execPath, [join(root, 'bin', 'replylane.mjs'), ...args], {
    cwd: root,
    env: where.env,
    timeoutMs: commandWithinMs,
  });
  return {
    reply: reply.id,
    command: commandLine(args, where.address),
    exitCode: result.code,
    decision,
    state: stateIn(result.stdout),
    webUi: where.webUi,
    problem: result.code === 0 ? null : result.tail,
  };
}

/** Page of one workflow in Temporal's Web UI. */
export function workflowPage(
  webUi: string,
  workflow: { readonly workflowId: string; readonly runId: string },
): string {
  const { workflowId, runId } = workflow;
  return `${webUi}/namespaces/default/workflows/${encodeURIComponent(workflowId)}/${runId}/history`;
}

function stateIn(stdout: string): string | null {
  try {
    const document = JSON.parse(stdout) as { readonly state?: unknown } | null;
    return typeof document?.state === 'string' ? document.state : null;
  } catch {
    return null;
  }
}
