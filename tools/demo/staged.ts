import { busiestOf } from './busiest.ts';
import type { Finding } from './checks.ts';
import { type Evidence, uncertainKeys } from './evidence.ts';

/** Whether the demo showed what it says: a rule that nothing put to the test was not kept, only not broken. */

/** The worker that was killed, and the reply whose request the service held then. */
export interface Kill {
  readonly pid: number;
  readonly key: string;
  /** How its process ended. */
  readonly how: string;
}

/** A reply under review, decided by the command line. */
export interface Decided {
  readonly reply: string;
  readonly command: string;
  readonly exitCode: number | null;
  readonly decision: string;
  /** The reply's state afterwards, by the command's own document. */
  readonly state: string | null;
  /** What the command said went wrong. */
  readonly problem: string | null;
  /** Page of the reply in Temporal's Web UI. */
  readonly webUi: string;
}

/** Everything that was to go wrong went wrong. */
export function checkTrouble(evidence: Evidence, kill: Kill | null): Finding<'trouble'> {
  const { arrivals, deadlines, stored, planned, endings } = evidence;
  const texts = new Map(planned.map(({ key, text }) => [key, text]));
  const nested = deadlines.find((inner) =>
    deadlines.some((outer) => inner.answeredAtMs > outer.answeredAtMs && inner.untilMs < outer.untilMs),
  );
  const uncertain = uncertainKeys(evidence);
  const killed = kill !== null && kill.how === 'SIGKILL' && uncertain.includes(kill.key);
  const takenUnanswered = stored.filter(
    ({ n }) => arrivals.find((arrival) => arrival.n === n)?.httpStatus === null,
  );
  const lost = takenUnanswered.filter(({ text }) => kill === null || text !== texts.get(kill.key)).length;
  const ended = (ending: string): number => [...endings.values()].filter((other) => other === ending).length;
  const numbers = {
    limitsMet: everyLimitIsMet(evidence) ? 1 : 0,
    nestedWaits: nested === undefined ? 0 : 1,
    killedDuringSend: killed ? 1 : 0,
    lostAnswers: lost,
    cancelled: ended('cancelled'),
    expired: ended('expired'),
  };
  const wait = nested
    ? `a wait of ${nested.retryAfterSeconds} s asked for inside a longer one`
    : 'no wait inside a longer one';
  const worker = killed
    ? `worker ${kill.pid} killed while ${kill.key} was held`
    : 'no worker killed during a send';
  const answers = `${lost} ${lost === 1 ? 'answer' : 'answers'} lost`;
  const limits = numbers.limitsMet === 1 ? 'each limit was met' : 'a limit was never met';
  const figure = `${limits}; ${wait}; ${answers}; ${worker}; ${numbers.cancelled} cancelled; ${numbers.expired} expired`;
  const ok = Object.values(numbers).every((number) => number > 0);
  return { name: 'trouble', title: 'all the trouble came', ok, figure, numbers };
}

/** A window that was never full was not put to the test. */
function everyLimitIsMet({ arrivals, windows }: Evidence): boolean {
  return (['bot', 'chat', 'group'] as const).every((scope) =>
    (windows[scope] ?? []).every(({ limit, perMs }) => busiestOf(arrivals, scope, perMs) >= limit),
  );
}

/** The naive sender broke every rule under the same conditions. */
export function checkControl(ofNaive: readonly Finding[]): Finding<'control'> {
  const kept = ofNaive.filter(({ ok }) => ok).map(({ title }) => title);
  const broken = ofNaive.length - kept.length;
  const figure =
    kept.length === 0
      ? `the naive sender broke ${broken} of ${ofNaive.length} rules`
      : `the naive sender kept: ${kept.join(', ')}`;
  return {
    name: 'control',
    title: 'the checks can fail',
    ok: ofNaive.length > 0 && kept.length === 0,
    figure,
    numbers: { broken, rules: ofNaive.length },
  };
}

/** What was under review was decided by the very command that an operator types. */
export function checkDecided(decided: readonly Decided[]): Finding<'decided'> {
  const done = decided.filter(({ exitCode, state, decision }) => exitCode === 0 && state === decision);
  const figure = decided.map(
    ({ reply, decision, exitCode, state }) =>
      `${reply}: ${decision}, exit code ${exitCode ?? 'none'}, now ${state ?? 'unknown'}`,
  );
  return {
    name: 'decided',
    title: 'decided by command',
    ok: decided.length > 0 && done.length === decided.length,
    figure: figure.length === 0 ? 'nothing was decided' : figure.join('; '),
    numbers: { decided: done.length, of: decided.length },
  };
}
