import type { DecisionRequest } from '../../../domain/decisions.ts';
import type { ReplyRecord } from '../../../domain/record.ts';
import {
  type ReviewPage,
  type ReviewPageOptions,
  type ReviewPageReplies,
  reviewPage,
} from '../../../client/index.ts';

export const pageUrl = 'https://ops.example/desk/review';

export function underReview(more: Partial<ReplyRecord> = {}): ReplyRecord {
  return {
    id: 'support/upd-1-reply',
    bot: 'support',
    key: 'upd-1-reply',
    workflowId: 'reply:support:upd-1-reply',
    state: 'review',
    waiting: null,
    review: {
      kind: 'unknown',
      attempt: 1,
      since: '2026-12-01T10:00:00.000Z',
      evidence: 'no answer within 20000 ms',
    },
    rejection: null,
    message: null,
    decision: null,
    lateProof: null,
    attempts: [
      {
        attempt: 1,
        outcome: 'unknown',
        at: '2026-12-01T10:00:00.000Z',
        httpStatus: null,
        progress: 'written',
        worker: 'worker-7',
      },
    ],
    ...more,
  };
}

export interface Stage {
  readonly page: ReviewPage;
  /** How the reply is from now on. */
  now: ReplyRecord;
  readonly decided: DecisionRequest[];
  /** Thrown by every decision while it is set. */
  refuse: Error | undefined;
}

/** The page over replies that stand in memory. Who asks stands in the header `x-user`. */
export function stage(
  reply: ReplyRecord,
  options: Partial<ReviewPageOptions> = {},
  replies: Partial<ReviewPageReplies> = {},
): Stage {
  const scene: Stage = {
    now: reply,
    decided: [],
    refuse: undefined,
    page: reviewPage({
      replies: {
        reviews: async () => [scene.now],
        read: async () => ({ reply: scene.now, source: 'worker' }),
        decide: async (_name, request) => {
          if (scene.refuse) throw scene.refuse;
          scene.decided.push(request);
          return { kind: 'decided', reply: scene.now };
        },
        lane: () => {
          throw new Error('no lane in this test');
        },
        input: async () => undefined,
        ...replies,
      },
      authenticate: ({ headers }) => {
        const by = headers.get('x-user');
        return by === null ? null : { by };
      },
      ...options,
    }),
  };
  return scene;
}

export async function show(
  page: ReviewPage,
  query = '',
  headers: Record<string, string> = { 'x-user': 'ana' },
) {
  const response = await page(new Request(pageUrl + query, { headers }));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The token that a page gave with its form. */
export function tokenIn(text: string): string {
  return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

export const reply = '?reply=support%2Fupd-1-reply';
export const own = { 'x-user': 'ana', 'sec-fetch-site': 'same-origin' };

export async function post(
  page: ReviewPage,
  values: Record<string, string>,
  headers: Record<string, string> = own,
  query = reply,
) {
  const body = new URLSearchParams(values);
  const response = await page(new Request(pageUrl + query, { method: 'POST', headers, body }));
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}
