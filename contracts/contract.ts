import type { AnswerOutcome } from '../domain/outcome.ts';

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

/** The rules of one service, pure: no I/O, no clock. */
export interface Contract {
  readonly name: string;
  /** Root of the service's API, used where the configuration names none. No slash at its end. */
  readonly defaultApiRoot: string;
  /** Problems of the content that the service would refuse; empty when it may be sent. Never throws. */
  check(content: Content): readonly ContentProblem[];
  /** Where checked content goes. */
  destination(content: Content): Destination;
  /** The same content for another chat (after `migrated`); `chat` in the form of `Destination.chat`. */
  readdress(content: Content, chat: string): Content;
  /** The request that sends the content; `token` is the bot's secret. */
  request(content: Content, options: { readonly apiRoot: string; readonly token: string }): ServiceRequest;
  /** What an answer to `content` means. Total: never throws, whatever the bytes. */
  classify(content: Content, answer: ServiceAnswer): AnswerOutcome;
}
