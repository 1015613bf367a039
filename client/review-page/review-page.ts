import { html } from 'hono/html';
import {
  ReplyInputError,
  ReplyLostError,
  ReplyNotFoundError,
  ReplyRefusedError,
  TemporalUnreachableError,
} from '../errors.ts';
import { readBody } from '../intake/body.ts';
import type { ReadReply } from '../read-reply.ts';
import type { ReplyClient } from '../reply-client.ts';
import { readReplyName } from '../reply-name.ts';
import { type Draft, decisionForm, emptyDraft, readDecision } from './decision-form.ts';
import { type Html, type Page, documentOf, replyQuery, seeOther, shown } from './document.ts';
import { contentPart, evidence } from './evidence.ts';
import { FormGuard, isSameOrigin } from './form-guard.ts';
import { laneList, readLane } from './lane-list.ts';
import { filterOf, reviewList } from './review-list.ts';

/** Who is at the page. */
export interface Reviewer {
  /** Kept with each decision: a person's own name, not a shared one. */
  readonly by: string;
  /** Whether this person may decide, where the page allows it at all; true by default. */
  readonly mayDecide?: boolean;
}

/**
 * The app's own authentication, asked for every request before anything else: who it is; null for nobody; or the app's own
 * answer, such as a redirect to its login.
 */
export type Authenticate = (
  request: Request,
) => Reviewer | Response | null | Promise<Reviewer | Response | null>;

export type ReviewPageReplies = Pick<ReplyClient, 'reviews' | 'read' | 'decide' | 'lane' | 'input'>;

export interface ReviewPageOptions {
  readonly replies: ReviewPageReplies;
  readonly authenticate: Authenticate;
  /** The bots whose lanes are shown. */
  readonly bots?: readonly string[];
  /** Whether decisions are taken. Off by default: the page only shows. */
  readonly canDecide?: boolean;
  /** Whether text and destination can be asked for, reply by reply. Off by default (invariant 8). */
  readonly showContent?: boolean;
  /** The same for all processes that serve the page together; by default each process takes only its own forms. */
  readonly formSecret?: string;
  /** Told of every failure that is not the caller's. */
  readonly onFailure?: (error: unknown) => void;
}

export type ReviewPage = (request: Request) => Promise<Response>;

/** Far more than a decision needs. */
const formLimits = { maxBytes: 16 * 1024, timeoutMs: 10_000 };

/**
 * The review page as one function, to be mounted at any one path: all its views are queries on that path. Without scripts.
 * Throws a `ReplyInputError` if there is no authentication: nobody means to show this to everybody.
 */
export function reviewPage(options: ReviewPageOptions): ReviewPage {
  if (typeof options.authenticate !== 'function') {
    const problem = 'must be a function that tells who asks: the page shows nothing to nobody';
    throw new ReplyInputError('No review page', [{ field: 'authenticate', problem }]);
  }
  const views = new Views(options);
  return async (request) => {
    let by: string | null = null;
    try {
      const reviewer = await options.authenticate(request);
      if (reviewer instanceof Response) return reviewer;
      if (!reviewer || reviewer.by.trim() === '') return await documentOf(nobody, null);
      ({ by } = reviewer);
      const answer = await views.answer(request, reviewer);
      return answer instanceof Response ? answer : await documentOf(answer, by);
    } catch (error) {
      const page = failurePage(error);
      if (page.status >= 500) options.onFailure?.(error);
      return documentOf(page, by);
    }
  };
}

class Views {
  readonly #options: ReviewPageOptions;
  readonly #guard: FormGuard;

  constructor(options: ReviewPageOptions) {
    this.#options = options;
    this.#guard = new FormGuard(options.formSecret);
  }

  async answer(request: Request, reviewer: Reviewer): Promise<Page | Response> {
    const query = new URL(request.url).searchParams;
    const id = query.get('reply');
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        if (id !== null) return this.#reply(id, query, reviewer);
        return query.get('view') === 'lanes' ? this.#lanes() : this.#list(query);
      case 'POST':
        return id === null ? wrongMethod('GET, HEAD') : this.#decide(id, request, reviewer);
      default:
        return wrongMethod(id === null ? 'GET, HEAD' : 'GET, HEAD, POST');
    }
  }

  async #list(query: URLSearchParams): Promise<Page> {
    const filter = filterOf(query);
    return reviewList(await this.#options.replies.reviews(filter), filter, Date.now());
  }

  async #lanes(): Promise<Page> {
    const { replies, bots = [] } = this.#options;
    return laneList(await Promise.all(bots.map((bot) => readLane(replies.lane(bot)))));
  }

  async #reply(id: string, query: URLSearchParams, reviewer: Reviewer): Promise<Page> {
    const { replies, showContent = false } = this.#options;
    const name = readReplyName(id);
    const read = await replies.read(name);
    const isAsked = query.get('content') === 'show';
    const input = showContent && isAsked ? await replies.input(name) : undefined;
    const content = showContent ? contentPart(read.reply.id, input, isAsked) : html``;
    return this.#replyPage(read, reviewer, { notice: noticeOf(query.get('said')), content });
  }

  #replyPage(
    read: ReadReply,
    reviewer: Reviewer,
    parts: {
      readonly notice?: Html;
      readonly content?: Html;
      readonly draft?: Draft;
      readonly status?: number;
    } = {},
  ): Page {
    const { id, review } = read.reply;
    const { notice = html``, content = html``, draft = emptyDraft, status = 200 } = parts;
    const form =
      review && this.#mayDecide(reviewer)
        ? decisionForm(
            read.reply,
            this.#guard.token({ by: reviewer.by, reply: id, attempt: review.attempt }),
            draft,
          )
        : html``;
    return { status, title: id, body: html`${notice} ${evidence(read)} ${content} ${form}` };
  }

  async #decide(id: string, request: Request, reviewer: Reviewer): Promise<Page | Response> {
    if (!this.#mayDecide(reviewer)) return refusal(403, 'Deciding is off here: this page only shows.');
    if (!isSameOrigin(request))
      return refusal(403, 'This form did not come from this page: open the reply here.');
    if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? ''))
      return refusal(415, 'Only the form of this page is taken.');
    const body = await readBody(request, formLimits);
    if (body.kind === 'too_large') return refusal(413, 'The form is too large.');
    if (body.kind === 'unread') return refusal(408, 'The form did not come to its end: send it again.');
    const values = new URLSearchParams(new TextDecoder().decode(body.bytes));
    const { replies } = this.#options;
    const name = readReplyName(id);
    const { by } = reviewer;
    const attempt = /^\d{1,9}$/.test(values.get('attempt') ?? '') ? Number(values.get('attempt')) : -1;
    if (!this.#guard.isFrom(values.get('token'), { by, reply: `${name.bot}/${name.key}`, attempt })) {
      const words =
        'Nothing was decided: this form is not for you, or from before a restart. This is the reply as it is now.';
      return this.#replyPage(await replies.read(name), reviewer, { notice: note(words), status: 403 });
    }
    const reading = readDecision(values, attempt, by);
    if (reading.kind === 'problems')
      return this.#again(name, reviewer, attempt, { values, problems: reading.problems });
    try {
      const { kind } = await replies.decide(name, reading.request);
      return seeOther(replyQuery(id, { said: kind }));
    } catch (error) {
      if (error instanceof ReplyInputError)
        return this.#again(name, reviewer, attempt, { values, problems: error.problems });
      if (!(error instanceof ReplyRefusedError)) throw error;
      const notice = note(`Nothing was decided: ${error.message}. This is the reply as it is now.`);
      return this.#replyPage(await replies.read(name), reviewer, { notice, status: 409 });
    }
  }

  /** The same form with what is wrong; of an attempt that is over meanwhile, nothing may stand filled in. */
  async #again(
    name: { readonly bot: string; readonly key: string },
    reviewer: Reviewer,
    attempt: number,
    draft: Draft,
  ): Promise<Page> {
    const read = await this.#options.replies.read(name);
    if (read.reply.review?.attempt === attempt)
      return this.#replyPage(read, reviewer, { draft, status: 422 });
    const notice = note(
      'Nothing was decided: the reply has changed meanwhile. This is the reply as it is now.',
    );
    return this.#replyPage(read, reviewer, { notice, status: 409 });
  }

  #mayDecide({ mayDecide = true }: Reviewer): boolean {
    return this.#options.canDecide === true && mayDecide;
  }
}

const nobody = refusal(401, 'Log in first.');

function noticeOf(said: string | null): Html {
  if (said === 'decided') return note('Decided.', 'status');
  if (said === 'requested') {
    const words =
      'The decision is saved, but no worker has confirmed it. It counts once one is up, if the reply is still under review then.';
    return note(words, 'status');
  }
  return html``;
}

function note(words: string, role: 'alert' | 'status' = 'alert'): Html {
  return html`<p class="note" role="${role}" tabindex="-1" autofocus>${shown(words)}</p>`;
}

function refusal(status: number, words: string): Page {
  return { status, title: 'Not done', body: html`<p role="alert">${shown(words)}</p>` };
}

function wrongMethod(allow: string): Page {
  return { ...refusal(405, 'This view is not for that.'), headers: { allow } };
}

function failurePage(error: unknown): Page {
  if (error instanceof ReplyNotFoundError) return refusal(404, error.message);
  if (error instanceof ReplyLostError) return refusal(410, error.message);
  if (error instanceof ReplyInputError) return refusal(400, error.message);
  // Where Temporal is, and why it does not answer, is the operator's to know.
  if (error instanceof TemporalUnreachableError)
    return refusal(503, 'Temporal does not answer: try again later.');
  return refusal(500, 'This failed on the server: try again.');
}
