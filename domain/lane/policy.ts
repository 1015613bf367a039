/** At most `limit` requests in any `perMs` milliseconds, counted from answer to grant (see `slots.ts`). */
export interface Window {
  readonly limit: number;
  readonly perMs: number;
}

/** What the lane must know of a bot's configuration. Travels with every claim. */
export interface LanePolicy {
  readonly bot: readonly Window[];
  readonly chat: readonly Window[];
  readonly group: readonly Window[];
  /** Requests of the bot that may be without an answer at one time. */
  readonly maxOutstanding: number;
  /** Pause of the lane after a refusal for flood that named no usable delay. */
  readonly heldPauseMs: number;
  /** Longest time from `go` to the answer: the claim's life and the HTTP time-out. After it a request is given up. */
  readonly answerBoundMs: number;
}

export const defaultLanePolicy: LanePolicy = {
  bot: [{ limit: 30, perMs: 1000 }],
  chat: [{ limit: 1, perMs: 1000 }],
  group: [
    { limit: 1, perMs: 1000 },
    { limit: 20, perMs: 60_000 },
  ],
  maxOutstanding: 20,
  heldPauseMs: 60_000,
  answerBoundMs: 25_000,
};

/** A policy counts as long as some worker has shown it lately. */
const policyLifeMs = 60_000;
const maxPolicies = 8;

/** A policy that some worker uses, and when it last showed it. */
export interface SeenPolicy {
  readonly policy: LanePolicy;
  readonly seenAtMs: number;
}

/** The policy in force: the strictest of those that workers use now. */
export function policyInForce(lane: { readonly policies: readonly SeenPolicy[] }): LanePolicy {
  return strictest(lane.policies.map((seen) => seen.policy));
}

/** Remembers that a worker uses this policy; forgets those that no worker has used for a minute. */
export function notePolicy(
  lane: { policies: readonly SeenPolicy[] },
  policy: LanePolicy,
  nowMs: number,
): void {
  const known = onlyPolicy(policy);
  const text = JSON.stringify(known);
  const others = lane.policies.filter(
    ({ policy: other, seenAtMs }) =>
      seenAtMs + Math.max(policyLifeMs, other.answerBoundMs) > nowMs && JSON.stringify(other) !== text,
  );
  lane.policies = [...others.slice(1 - maxPolicies), { policy: known, seenAtMs: nowMs }];
}

/** The known fields only: what else a worker sent must not grow the lane's state. */
function onlyPolicy({
  bot,
  chat,
  group,
  maxOutstanding,
  heldPauseMs,
  answerBoundMs,
}: LanePolicy): LanePolicy {
  const only = (windows: readonly Window[]): Window[] =>
    windows.map(({ limit, perMs }) => ({ limit, perMs }));
  return { bot: only(bot), chat: only(chat), group: only(group), maxOutstanding, heldPauseMs, answerBoundMs };
}

/** Workers may differ while a configuration is rolled out: the strictest of all wins, for each part by itself. */
export function strictest(policies: readonly LanePolicy[]): LanePolicy {
  const [first, ...rest] = policies;
  if (!first) return defaultLanePolicy;
  return rest.reduce<LanePolicy>(
    (a, b) => ({
      bot: union(a.bot, b.bot),
      chat: union(a.chat, b.chat),
      group: union(a.group, b.group),
      maxOutstanding: Math.min(a.maxOutstanding, b.maxOutstanding),
      heldPauseMs: Math.max(a.heldPauseMs, b.heldPauseMs),
      answerBoundMs: Math.max(a.answerBoundMs, b.answerBoundMs),
    }),
    first,
  );
}

function union(a: readonly Window[], b: readonly Window[]): readonly Window[] {
  const same = (x: Window, y: Window): boolean => x.limit === y.limit && x.perMs === y.perMs;
  return [...a, ...b.filter((y) => !a.some((x) => same(x, y)))];
}

/** Why a policy cannot be used, or undefined: one bad ask must not wedge the lane (rule 10). */
export function policyProblem(policy: unknown): string | undefined {
  if (typeof policy !== 'object' || policy === null) return 'policy must be an object';
  const fields = policy as Record<string, unknown>;
  for (const scope of ['bot', 'chat', 'group'] as const) {
    const windows = fields[scope];
    if (!Array.isArray(windows) || windows.length > 8 || !windows.every(isWindow)) {
      return `policy.${scope} must be a list of at most 8 { limit, perMs }`;
    }
  }
  for (const field of ['maxOutstanding', 'heldPauseMs', 'answerBoundMs'] as const) {
    if (!isPositive(fields[field])) return `policy.${field} must be a positive integer`;
  }
  return undefined;
}

function isWindow(value: unknown): value is Window {
  if (typeof value !== 'object' || value === null) return false;
  const { limit, perMs } = value as Record<string, unknown>;
  return isPositive(limit) && isPositive(perMs);
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
