import type { AttemptRecord, DecisionName, ReplyRecord, ReplyStateName } from '../../../domain/record.ts';
import type { Verdict } from '../../support/fake-service/index.ts';
import type { ActEvidence, Closing, Evidence, ReplyEvidence } from '../evidence.ts';

/** Builds records for the tests of the checks: a run of the bot `a` with one chat, told step by step. Seconds. */
export class Sample {
  readonly #replies: ReplyEvidence[] = [];
  readonly #acts: ActEvidence[] = [];
  readonly #arrivals: Evidence['arrivals'][number][] = [];
  readonly #stored: Evidence['stored'][number][] = [];
  readonly #deadlines: Evidence['deadlines'][number][] = [];
  readonly #sightings: Evidence['sightings'][number][] = [];
  readonly #grants: Evidence['lanes'][number]['grants'][number][] = [];
  readonly #closings: Closing[] = [];
  readonly #skips: string[] = [];

  /** A reply as it was at the end. `attempts` are outcomes with their instants. */
  reply(
    key: string,
    state: ReplyStateName | null,
    more: {
      readonly attempts?: readonly (readonly [AttemptRecord['outcome'], number])[];
      readonly order?: number;
      readonly decidedBy?: string;
      readonly chat?: string;
    } = {},
  ): this {
    const { attempts = [], order = null, decidedBy, chat = '1' } = more;
    const record: ReplyRecord | null = state && {
      id: `a/${key}`,
      bot: 'a',
      key,
      workflowId: `reply:a:${key}`,
      state,
      waiting: null,
      review: null,
      rejection: null,
      message: null,
      decision:
        decidedBy === undefined
          ? null
          : {
              attempt: 1,
              decision: 'not_sent',
              by: decidedBy,
              reason: 'r',
              at: iso(0),
              door: 'update',
              via: null,
              bulk: null,
              seen: null,
            },
      lateProof: null,
      attempts: attempts.map(([outcome, at], i) => ({
        attempt: i + 1,
        outcome,
        at: iso(at),
        httpStatus: null,
        progress: 'answered',
        worker: null,
      })),
    };
    const problem = record ? null : 'ReplyNotFoundError';
    const rest = { after: null, acceptedAtMs: 0, listedAtMs: null };
    this.#replies.push({ bot: 'a', key, chat, order, record, problem, ...rest });
    return this;
  }

  /** A claim that was granted. */
  grant(key: string, at: number, attempt = 1): this {
    this.#grants.push({ key, attempt, atMs: at * 1000 });
    return this;
  }

  /** A reply that was let go without a predecessor which its lane had not heard of. */
  skip(key: string): this {
    this.#skips.push(key);
    return this;
  }

  /** A request that arrived; with `stored` the message was taken. */
  arrival(key: string, at: number, verdict: Verdict = 'stored', more: { readonly chat?: string } = {}): this {
    const n = this.#arrivals.length + 1;
    const atMs = at * 1000;
    const chat = more.chat ?? '1';
    const isAnswered = verdict !== 'none';
    this.#arrivals.push({
      n,
      atMs,
      bot: 'a',
      method: 'sendMessage',
      chat,
      text: key,
      params: null,
      verdict,
      httpStatus: isAnswered ? { stored: 200, flood: 429, refused: 400 }[verdict] : null,
      early: false,
      received: 'whole',
      bodyBytes: 1,
      connection: 1,
      answeredAtMs: isAnswered ? atMs + 1 : null,
      closedAtMs: null,
    });
    this.#sightings.push({ key, atMs });
    if (verdict === 'stored')
      this.#stored.push({ n, atMs, bot: 'a', method: 'sendMessage', chat, text: key, messageId: n });
    return this;
  }

  /** The bytes left a worker, and did not arrive. */
  swallowed(key: string, at: number): this {
    this.#sightings.push({ key, atMs: at * 1000 });
    return this;
  }

  closed(why: Closing['why'], savedAt: number, until: number, key: string | null = null): this {
    this.#closings.push({ why, key, savedAtMs: savedAt * 1000, untilMs: until * 1000 });
    return this;
  }

  act(
    kind: ActEvidence['kind'],
    key: string,
    at: number,
    answer: string,
    more: { readonly by?: string; readonly decision?: DecisionName } = {},
  ): this {
    const { by = `${kind}-${this.#acts.length}`, decision = null } = more;
    const atMs = at * 1000;
    this.#acts.push({ by, kind, bot: 'a', key, decision, askedAtMs: atMs, answeredAtMs: atMs, answer });
    return this;
  }

  get evidence(): Evidence {
    return {
      settings: {
        httpTimeoutMs: 5000,
        claimLifeMs: 5000,
        slowestWireMs: 0,
        windows: { bot: [{ limit: 2, perMs: 1000 }] },
      },
      replies: this.#replies,
      acts: this.#acts,
      arrivals: this.#arrivals,
      stored: this.#stored,
      deadlines: this.#deadlines,
      sightings: this.#sightings,
      lanes: [{ bot: 'a', grants: this.#grants, closings: this.#closings, skips: this.#skips }],
      faults: [],
    };
  }
}

function iso(at: number): string {
  return new Date(at * 1000).toISOString();
}
