import type { ProxyMode } from '../support/tcp-proxy.ts';
import type { Step } from '../support/fake-service/index.ts';

/** The bots of a run, and how many worker processes serve them. */
export const botNames = ['alpha', 'beta'] as const;
export const workerCount = 3;

/** What goes wrong by itself: with machines, processes, clocks, networks and the service. */
export type Fault =
  /** SIGKILL; started again after `downMs`. */
  | { readonly kind: 'worker_kill'; readonly downMs: number }
  /** SIGSTOP, and SIGCONT after `forMs`. */
  | { readonly kind: 'worker_freeze'; readonly forMs: number }
  /** SIGTERM, as a deployment does; started again after its end. */
  | { readonly kind: 'worker_stop'; readonly downMs: number }
  /** From now on the worker's wall clock is wrong by so much. */
  | { readonly kind: 'worker_clock'; readonly offsetMs: number }
  /** SIGKILL of the Temporal server; started again on the same file and port. */
  | { readonly kind: 'server_kill'; readonly downMs: number }
  /** Between one worker and the service. */
  | { readonly kind: 'service_net'; readonly mode: ProxyMode; readonly forMs: number }
  /** Between one worker and Temporal. */
  | { readonly kind: 'temporal_net'; readonly mode: ProxyMode; readonly forMs: number }
  /** The service does this with the next request of the bot. */
  | { readonly kind: 'answer'; readonly bot: string; readonly what: string; readonly step: Step }
  /** The service refuses connections (those in progress finish, or are reset), or answers nothing. */
  | {
      readonly kind: 'service_down';
      readonly how: 'refuse' | 'reset' | 'blackhole';
      readonly forMs: number;
    }
  /** The service begins a penalty of the bot that nobody is told of before the next call. */
  | { readonly kind: 'penalty'; readonly bot: string; readonly seconds: number };

export type FaultKind = Fault['kind'];

export interface PlannedFault {
  readonly n: number;
  readonly atMs: number;
  readonly fault: Fault;
  /** Which worker it hits, unless it waits for one with a request in flight. */
  readonly worker: number;
  /** Held back (a few seconds at most) until a request is in flight; it then hits the worker that has it. */
  readonly whenInFlight: boolean;
}

/** What people do. `choice` in [0, 1) picks the reply among those that there are. */
export type Act =
  | { readonly kind: 'cancel'; readonly choice: number }
  | {
      readonly kind: 'decide';
      readonly choice: number;
      readonly decision: 'sent' | 'not_sent' | 'cancel' | 'resend';
    }
  /** Resets the workflow of an open reply to an earlier point of its history. */
  | { readonly kind: 'reset'; readonly choice: number; readonly point: number }
  | { readonly kind: 'pause'; readonly bot: string; readonly forMs: number }
  | { readonly kind: 'extend'; readonly bot: string; readonly seconds: number };

export interface PlannedAct {
  readonly n: number;
  readonly atMs: number;
  readonly act: Act;
}

/** One reply of the stream. */
export interface PlannedReply {
  readonly atMs: number;
  readonly bot: string;
  readonly key: string;
  readonly chat: number;
  /** Place in its chat's chain, and the key before it; null where the chat has no chain. */
  readonly chain: { readonly order: number; readonly after: string | null } | null;
  readonly class: 'reply' | 'bulk';
  readonly expiresInMs: number | null;
  readonly reviewIfDelayedOverMs: number | null;
}

/** All that a run does, drawn from its seed alone. Instants are milliseconds since its begin. */
export interface Schedule {
  readonly seed: number;
  readonly durationMs: number;
  /** Replies per second. */
  readonly rate: number;
  /** How many times the usual time lies between two faults, and between two acts. */
  readonly gap: number;
  readonly replies: readonly PlannedReply[];
  readonly faults: readonly PlannedFault[];
  readonly acts: readonly PlannedAct[];
}

/** Key of a reply, as it is found in texts and on the wire. */
export const keyPattern = /chaos-\d+-\d+/g;
