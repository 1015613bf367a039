/** Scripted steps: what the fake does with one request instead of its usual course. All are JSON-safe. */

/** How the bytes of an answer's body leave. The head always announces the whole length. */
export type Delivery =
  | { readonly kind: 'whole' }
  /** All of it, then the socket is closed without having been announced. */
  | { readonly kind: 'then_close' }
  /** The first bytes, then the socket is closed. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'trickle'; readonly chunkBytes: number; readonly everyMs: number };

export type Step =
  /** The usual course, by the bot's rules and judged at arrival; the answer is held back for `holdMs` (real time). */
  | { readonly kind: 'proceed'; readonly holdMs: number; readonly delivery: Delivery }
  /** This very answer, whatever the rules. `store`: the message is taken all the same. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | object;
      readonly store: boolean;
      readonly holdMs: number;
      readonly delivery: Delivery;
    }
  /** No answer; the socket stays open until the sender closes it. */
  | { readonly kind: 'silence'; readonly store: boolean }
  /** Reset (RST) as soon as the head is read. Cannot be scripted by chat. */
  | { readonly kind: 'reset_at_head' }
  /** Reset after the body was read to its end. */
  | { readonly kind: 'reset_after_body'; readonly store: boolean }
  /** A penalty of the whole bot begins, unless a longer one holds; the answer says truthfully how long it lasts. */
  | { readonly kind: 'flood'; readonly seconds: number; readonly holdMs: number };

export type AnswerStep = Extract<Step, { kind: 'answer' }>;

const WHOLE: Delivery = { kind: 'whole' };

export function hold(holdMs: number): Step {
  return { kind: 'proceed', holdMs, delivery: WHOLE };
}

export function trickle(pace: { readonly chunkBytes: number; readonly everyMs: number }): Step {
  return { kind: 'proceed', holdMs: 0, delivery: { kind: 'trickle', ...pace } };
}

/** Taken, but the body of the answer ends early: `cutBody(8)` leaves `{"ok":tr`. */
export function cutBody(afterBytes: number): Step {
  return { kind: 'proceed', holdMs: 0, delivery: { kind: 'cut', afterBytes } };
}

export function closeAfterAnswer(): Step {
  return { kind: 'proceed', holdMs: 0, delivery: { kind: 'then_close' } };
}

export function silence(options: { readonly store: boolean }): Step {
  return { kind: 'silence', store: options.store };
}

export function resetAtHead(): Step {
  return { kind: 'reset_at_head' };
}

export function resetAfterBody(options: { readonly store: boolean }): Step {
  return { kind: 'reset_after_body', store: options.store };
}

export function flood(seconds: number, options: { readonly holdMs: number } = { holdMs: 0 }): Step {
  return { kind: 'flood', seconds, holdMs: options.holdMs };
}

export interface AnswerOptions {
  readonly status: number;
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly store?: boolean;
  readonly holdMs?: number;
  readonly delivery?: Delivery;
}

/** Of this and the functions below, any field may be changed: `{ ...forbidden(), holdMs: 50 }`. */
export function answer(options: AnswerOptions): AnswerStep {
  const { status, body, headers = {}, store = false, holdMs = 0, delivery = WHOLE } = options;
  return { kind: 'answer', status, headers, body, store, holdMs, delivery };
}

/** A page of something that stands between sender and service. */
export function htmlPage(options: { readonly status?: number; readonly store: boolean }): AnswerStep {
  const status = options.status ?? 200;
  const body = `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>One moment</h1></body></html>`;
  return answer({ status, body, headers: { 'content-type': 'text/html' }, store: options.store });
}

export function failure(code: number, description: string, parameters?: unknown): AnswerStep {
  return answer({ status: code, body: failureBody(code, description, parameters) });
}

/** A single 429 with any delay at all, no penalty behind it. The delay goes out as it is, sense or nonsense. */
export function tooManyRequests(retryAfter: unknown): AnswerStep {
  return failure(429, `Too Many Requests: retry after ${String(retryAfter)}`, { retry_after: retryAfter });
}

export function badRequest(
  description = "Bad Request: can't parse entities: unsupported start tag",
): AnswerStep {
  return failure(400, description);
}

export function unauthorized(): AnswerStep {
  return failure(401, 'Unauthorized');
}

export function forbidden(description = 'Forbidden: bot was blocked by the user'): AnswerStep {
  return failure(403, description);
}

/** Any 5xx with the service's JSON. */
export function serverError(options: { readonly status?: number; readonly store: boolean }): AnswerStep {
  const status = options.status ?? 502;
  return answer({ status, body: failureBody(status, 'Bad Gateway'), store: options.store });
}

/** The group became another one. `newChatId` is written digit by digit as given. */
export function migrate(newChatId: string): AnswerStep {
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  const body = `{"ok":false,"error_code":400,"description":"${description}","parameters":{"migrate_to_chat_id":${newChatId}}}`;
  return answer({ status: 400, body });
}

export function failureBody(code: number, description: string, parameters?: unknown): object {
  return { ok: false, error_code: code, description, ...(parameters === undefined ? {} : { parameters }) };
}

const KINDS: Readonly<Record<Step['kind'], true>> = {
  proceed: true,
  answer: true,
  silence: true,
  reset_at_head: true,
  reset_after_body: true,
  flood: true,
};

/** For steps that come from another process, made there by the functions above; their fields are taken on trust. */
export function isStep(value: unknown): value is Step {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && Object.hasOwn(KINDS, String(value.kind))
  );
}
