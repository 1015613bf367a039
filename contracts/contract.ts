import type { AnswerOutcome, ServiceError } from '../domain/outcome.ts';

/** What is to be sent: one method of the service and its parameters, JSON-safe. */
export interface Content {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Where the content goes, for pacing and order. */
export interface Destination {
  /** Bucket of the chat: exact digits, or a lower-case `@name`. Two spellings of one chat give one bucket. */
  readonly chat: string;
  /** `group` has stricter limits at some services; where it cannot be told, `group`. */
  readonly chatKind: 'chat' | 'group';
  /** How many slots of the limits the content takes, at least 1. */
  readonly weight: number;
}

/** Problem with one field of the content; `problem` is a sentence that says what was wrong and what to do. */
export interface ContentProblem {
  readonly field: string;
  readonly problem: string;
}

/** An HTTP request, complete. `url` and `headers` carry the bot's secret: neither may be logged or stored. */
export interface ServiceRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes of the body, as UTF-8 text. The method is always POST. */
  readonly body: string;
}

/** An HTTP answer that was read to its end. Header names are in lower case. */
export interface ServiceAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request needs besides its content. */
export interface RequestOptions {
  readonly apiRoot: string;
  /** The bot's secret. */
  readonly token: string;
  /** The reply's key, as the app gave it: what a service's idempotency key is derived from. */
  readonly key: string;
  /** The account that the bot's secret is used for, where the contract has accounts; else null. */
  readonly account: string | null;
  /** Names the attempt, for services that take an id for tracing: 1 to 128 of `A-Za-z0-9_.:/-`. Never a key. */
  readonly trace: string;
}

/**
 * How far an idempotency key protects a reply: within both bounds the same request with the same key is carried out once,
 * however often it is sent (invariant 5). A margin is taken off both already.
 */
export interface Protection {
  /** Counted from before the earliest attempt whose outcome is not known. */
  readonly windowMs: number;
  /** Claims of the bot since then, of whatever replies. */
  readonly otherKeys: number;
}

/** A plain text to somebody, in the service's own words. */
export interface TextForm {
  /** The content that says `text` to `to`; what is left out or wrong stays so, for `check` to tell. */
  content(to: unknown, text: unknown): Content;
  /** The caller's name of a field of that content: `chat` or `text`; other fields keep theirs. */
  fieldName(field: string): string;
}

/** The rules of one service, pure: no I/O, no clock. */
export interface Contract {
  readonly name: string;
  /** Root of the service's API, used where the configuration names none. No slash at its end. */
  readonly defaultApiRoot: string;
  /** Null where the service has no idempotency keys. */
  readonly protection: Protection | null;
  readonly text: TextForm;
  /** Why a text cannot be the secret of a bot, in words that do not repeat it; null where it can. */
  tokenProblem(token: string): string | null;
  /** Why this cannot be the `account` of a bot (null: none is configured), with what to do; null where it can. */
  accountProblem(account: string | null): string | null;
  /** Problems of the content that the service would refuse; empty when it may be sent. Never throws. */
  check(content: Content): readonly ContentProblem[];
  /** Where checked content goes. */
  destination(content: Content): Destination;
  /** The same content for another chat (after `migrated`); `chat` in the form of `Destination.chat`. */
  readdress(content: Content, chat: string): Content;
  /** The request that sends the content. */
  request(content: Content, options: RequestOptions): ServiceRequest;
  /** What an answer to `content` means. Total: never throws, whatever the bytes. */
  classify(content: Content, answer: ServiceAnswer): AnswerOutcome;
  /**
   * The service's own account of a failure, kept with the attempt and shown to a reviewer; null where the answer has
   * none, and where all of it stands in the outcome. Never throws, and repeats neither the text nor a secret.
   */
  serviceError(content: Content, answer: ServiceAnswer): ServiceError | null;
}
