import { applyDecision } from './decision.ts';
import type { Reply } from './state.ts';

const hourMs = 3_600_000;

/**
 * When the bot's policy decides the review, or undefined where a person must: without a policy, and where a late answer
 * has proven something that no policy could know of.
 */
export function policyDueMs({ phase, budgets, lateProof }: Reply): number | undefined {
  if (phase.at !== 'review' || !budgets.reviewPolicy || lateProof) return undefined;
  return phase.sinceMs + Math.ceil(budgets.reviewPolicy.afterHours * hourMs);
}

/** Carries out the bot's policy, on the record as such. Changes nothing before it is due. */
export function decideByPolicy(reply: Reply, nowMs: number): Reply {
  const dueMs = policyDueMs(reply);
  const policy = reply.budgets.reviewPolicy;
  if (dueMs === undefined || dueMs > nowMs || !policy) return reply;
  const { afterHours, decision } = policy;
  const reason = `nobody decided within ${afterHours} ${afterHours === 1 ? 'hour' : 'hours'}`;
  return applyDecision(
    reply,
    { attempt: reply.attemptCount, decision, by: 'policy', reason },
    'policy',
    nowMs,
  );
}
