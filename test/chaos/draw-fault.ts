import { step, type Step } from '../support/fake-service/index.ts';
import type { ProxyMode } from '../support/tcp-proxy.ts';
import type { Chance } from './chance.ts';
import { type Fault, type FaultKind, botNames } from './fault.ts';

/** How often each kind is dealt before any is dealt again: even a short run meets most of them. */
export const faultDeck: Readonly<Record<FaultKind, number>> = {
  worker_kill: 3,
  worker_freeze: 3,
  worker_stop: 1,
  worker_clock: 2,
  server_kill: 2,
  service_net: 4,
  temporal_net: 4,
  answer: 7,
  service_down: 1,
  penalty: 2,
};

/** What a slow network may add to the way of a request to the service. */
export const slowestWireMs = 2500;

/** How likely a fault of a kind waits for a request in flight. */
export const inFlightShare: Readonly<Record<FaultKind, number>> = {
  worker_kill: 0.7,
  worker_freeze: 0.7,
  worker_stop: 0.5,
  worker_clock: 0,
  server_kill: 0.6,
  service_net: 0.7,
  temporal_net: 0.6,
  answer: 0,
  service_down: 0.7,
  penalty: 0,
};

export function drawFault(kind: FaultKind, chance: Chance): Fault {
  switch (kind) {
    case 'worker_kill':
    case 'worker_stop':
      return { kind, downMs: chance.whole(200, 4000) };
    case 'worker_freeze':
      return { kind, forMs: chance.whole(1000, 15_000) };
    case 'worker_clock':
      return { kind, offsetMs: chance.pick([0, 90_000, -90_000, -3_600_000, 86_400_000]) };
    case 'server_kill':
      return { kind, downMs: chance.whole(100, 5000) };
    case 'service_net':
      return { kind, mode: drawServiceMode(chance), forMs: chance.whole(500, 7000) };
    case 'temporal_net':
      return { kind, mode: drawTemporalMode(chance), forMs: chance.whole(500, 12_000) };
    case 'answer':
      return { kind, bot: chance.pick(botNames), ...drawStep(chance) };
    case 'service_down':
      return {
        kind,
        how: chance.pick(['refuse', 'reset', 'blackhole'] as const),
        forMs: chance.whole(500, 4000),
      };
    case 'penalty':
      return { kind, bot: chance.pick(botNames), seconds: chance.whole(2, 6) };
  }
}

function drawServiceMode(chance: Chance): ProxyMode {
  return chance.weighted<ProxyMode>([
    [2, { kind: 'reset' }],
    [3, { kind: 'blackhole' }],
    [2, { kind: 'half', of: 'request', bytes: chance.whole(1, 300), after: drawAfter(chance) }],
    [3, { kind: 'half', of: 'answer', bytes: chance.whole(0, 250), after: drawAfter(chance) }],
    [2, { kind: 'slow', latencyMs: chance.whole(100, slowestWireMs) }],
  ]);
}

function drawTemporalMode(chance: Chance): ProxyMode {
  return chance.weighted<ProxyMode>([
    [3, { kind: 'reset' }],
    [3, { kind: 'blackhole' }],
    [3, { kind: 'stall' }],
    [2, { kind: 'half', of: 'request', bytes: chance.whole(1, 5000), after: drawAfter(chance) }],
    [2, { kind: 'half', of: 'answer', bytes: chance.whole(1, 5000), after: drawAfter(chance) }],
    [2, { kind: 'slow', latencyMs: chance.whole(50, 1500) }],
  ]);
}

function drawAfter(chance: Chance): 'mute' | 'reset' {
  return chance.pick(['mute', 'reset'] as const);
}

function drawStep(chance: Chance): { readonly what: string; readonly step: Step } {
  const store = chance.happens(0.6);
  const status = chance.pick([500, 502, 504]);
  const seconds = chance.whole(1, 5);
  const nonsense = chance.pick<unknown>(['35', null, 2.5, -3, undefined]);
  return chance.weighted([
    [2, { what: `silence, ${kept(store)}`, step: step.silence({ store }) }],
    [2, { what: `reset after the body, ${kept(store)}`, step: step.resetAfterBody({ store }) }],
    [1, { what: 'reset at the head', step: step.resetAtHead() }],
    [2, { what: 'body cut', step: step.cutBody(chance.whole(0, 60)) }],
    [1, { what: `${status}, ${kept(store)}`, step: step.serverError({ status, store }) }],
    [1, { what: `page with 200, ${kept(store)}`, step: step.htmlPage({ store }) }],
    [1, { what: `page with ${status}, ${kept(store)}`, step: step.htmlPage({ status, store }) }],
    [6, { what: `flood of ${seconds} s`, step: step.flood(seconds) }],
    [2, { what: `late flood of ${seconds} s`, step: step.flood(seconds, { holdMs: 1500 }) }],
    [1, { what: `429 with ${JSON.stringify(nonsense)}`, step: step.tooManyRequests(nonsense) }],
    [1, { what: 'answer after the time-out', step: step.hold(22_000) }],
    [1, { what: 'answer after 2 s', step: step.hold(2000) }],
    [1, { what: 'answer in pieces', step: step.trickle({ chunkBytes: 20, everyMs: 150 }) }],
    [1, { what: 'answer, then closed', step: step.closeAfterAnswer() }],
    [1, { what: '400', step: step.badRequest() }],
    [1, { what: '403', step: step.forbidden() }],
  ]);
}

function kept(store: boolean): string {
  return store ? 'stored' : 'not stored';
}
