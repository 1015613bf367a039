import type { Content } from '../contract.ts';
import { isCount, objectIn, own, type Fields } from '../json-fields.ts';
import { shown } from './shown.ts';

/** A failure as the service words it. Repeats neither the text of the message nor a token. */
export interface NamedError {
  /** The service's name of it, such as `bad_request`. */
  readonly name: string;
  /** For people: its words, and the parameter that it is about. */
  readonly description: string;
}

const documentedNames: ReadonlySet<string> = new Set([
  'bad_request',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'internal',
  'platform_paused',
  'rate_limited',
]);
// Without spaces: `Bad Gateway` is a proxy's sentence, and names nothing.
const nameForm = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const parameterForm = /^[\x20-\x7e]{1,64}$/;
const maxWordsLength = 200;
// The instant a delay is added to: any clock's milliseconds stay below this for 140,000 years.
const maxReceivedAtMs = 2 ** 52;

/** The error in a body, or null where none is named. */
export function readError(content: Content, body: Fields): NamedError | null {
  const name = nameIn(content, body);
  return name === null ? null : { name, description: descriptionIn(content, body) };
}

/** Whether an error that the service's page names stands where an error's name may stand. */
export function hasDocumentedName(body: Fields): boolean {
  return placesOfName(body).some(isDocumented);
}

/** A documented name counts before any other, which may be a mere category; two documented ones that differ are none. */
function nameIn(content: Content, body: Fields): string | null {
  const names = placesOfName(body).filter((value) => isName(content, value));
  const documented = new Set(names.filter(isDocumented));
  if (documented.size > 1) return null;
  return [...documented, ...names][0] ?? null;
}

/** Assumption: the error's name stands in one of these places. */
function placesOfName(body: Fields): readonly unknown[] {
  const error = objectIn(body, 'error');
  return [
    own(body, 'error'),
    own(error, 'code'),
    own(error, 'name'),
    own(error, 'type'),
    own(body, 'code'),
    own(body, 'error_code'),
    own(body, 'name'),
  ];
}

function isDocumented(value: unknown): boolean {
  return typeof value === 'string' && documentedNames.has(value);
}

function isName(content: Content, value: unknown): value is string {
  if (typeof value !== 'string' || !nameForm.test(value)) return false;
  return isDocumented(value) || shown(content, value, value.length) === value;
}

/** Assumption: the words for people stand in one of these places, the first of which counts. */
function descriptionIn(content: Content, body: Fields): string {
  const error = objectIn(body, 'error');
  const words = [
    own(error, 'message'),
    own(error, 'description'),
    own(body, 'message'),
    own(body, 'description'),
    // Beside a name in another place; the name itself is shown already.
    isName(content, own(body, 'error')) ? undefined : own(body, 'error'),
  ].find((value) => typeof value === 'string');
  const line = typeof words === 'string' ? shown(content, words, maxWordsLength) : '';
  const parameter = parameterIn(content, body);
  return `${line || '(no description)'}${parameter === null ? '' : ` (parameter ${parameter})`}`;
}

/** Assumption: the name of the parameter at fault stands in one of these places. */
function parameterIn(content: Content, body: Fields): string | null {
  const parameter = placesOf(body)
    .map((place) => own(place, 'parameter'))
    .find((value) => typeof value === 'string' && parameterForm.test(value));
  return typeof parameter === 'string' ? shown(content, parameter, parameter.length) || null : null;
}

/**
 * Upholds invariant 2's source: a delay is what the service gave as a whole number, or there is none. Assumption:
 * `retry_after` stands in one of the plausible places, in seconds. Where several places have one, all must say the same.
 */
export function retryAfterSecondsIn(body: Fields): number | null {
  const values = new Set(
    placesOf(body)
      .filter((place) => Object.hasOwn(place, 'retry_after'))
      .map((place) => own(place, 'retry_after')),
  );
  const [seconds] = values;
  if (values.size !== 1 || !isCount(seconds)) return null;
  if (!Number.isSafeInteger(seconds * 1000 + maxReceivedAtMs)) return null;
  return seconds === 0 ? 0 : seconds;
}

function placesOf(body: Fields): readonly Fields[] {
  return [objectIn(body, 'error'), body, objectIn(body, 'parameters')];
}
