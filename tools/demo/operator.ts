import type { ReplyRecord } from '../../domain/record.ts';
import { replyWorkflowId } from '../../client/index.ts';
import type { PlannedReply } from './plan.ts';
import { commandLine, decide, decisionFor, workflowPage } from './review.ts';
import type { Stage } from './stage.ts';
import type { Decided } from './staged.ts';

export interface Desk {
  readonly stage: Stage;
  readonly planned: readonly PlannedReply[];
  readonly server: { readonly address: string; readonly webUi: string };
  readonly say: (line: string) => void;
  /** The last one stays under review, for whoever looks on. */
  readonly leaveOne: boolean;
}

/** The operator's part: each reply under review is looked up in its chat, and decided by the command line. */
export async function decideReviews(
  reviews: readonly ReplyRecord[],
  desk: Desk,
): Promise<readonly Decided[]> {
  const { stage, planned, server, say } = desk;
  const decided: Decided[] = [];
  for (const [index, reply] of reviews.entries()) {
    const workflowId = replyWorkflowId(reply);
    const { runId } = await stage.client.workflow.getHandle(workflowId).describe();
    const webUi = workflowPage(server.webUi, { workflowId, runId });
    const decision = decisionFor(reply, planned, stage.fake);
    say(`\n${reply.id} is under review: ${reply.review?.evidence ?? ''}`);
    say(`  ${webUi}`);
    if (desk.leaveOne && index > 0 && index === reviews.length - 1) {
      say(`  left to you: ${commandLine(decision.args, server.address)}`);
      continue;
    }
    say(`  $ ${commandLine(decision.args, server.address)}`);
    const done = await decide(decision, { env: stage.env, address: server.address, webUi });
    say(`  exit code ${done.exitCode ?? 'none'}, and the reply is ${done.state ?? 'not decided'}`);
    if (done.problem !== null) say(`  ${done.problem}`);
    decided.push(done);
  }
  return decided;
}
