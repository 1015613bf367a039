import { setTimeout as sleep } from 'node:timers/promises';
import { step } from '../support/fake-service/index.ts';
import type { TcpProxy, ProxyMode } from '../support/tcp-proxy.ts';
import type { FaultEvidence } from './evidence.ts';
import { type Fault, type PlannedFault, botNames } from './fault.ts';
import type { Stage } from './stage.ts';

/** How long a fault waits for a request in flight, and for how long the service holds that request. */
const patienceMs = 4000;
const heldForMs = 2500;

interface Hit {
  readonly firedAtMs: number | null;
  readonly worker: number | null;
  readonly inFlight: boolean;
  readonly note?: string;
  /** The fault goes on until this resolves. */
  readonly over?: Promise<unknown>;
}

/** Carries faults out, and notes of each when it hit and what. All of them end when `ending` is aborted. */
export class Injector {
  readonly evidence: FaultEvidence[] = [];
  readonly #stage: Stage;
  readonly #ending: AbortSignal;
  readonly #log: (line: string) => void;
  readonly #running = new Set<Promise<void>>();

  constructor(stage: Stage, ending: AbortSignal, log: (line: string) => void) {
    this.#stage = stage;
    this.#ending = ending;
    this.#log = log;
  }

  /** Begins a fault; does not wait for its end. */
  begin(planned: PlannedFault): void {
    const run = this.#run(planned).catch((error: unknown) => {
      const note = error instanceof Error ? error.message : String(error);
      this.#note(planned, { firedAtMs: null, worker: null, inFlight: false, note });
    });
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Resolves when every fault has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(planned: PlannedFault): Promise<void> {
    const caught = planned.whenInFlight ? await this.#catchRequest(planned.n) : undefined;
    if (this.#ending.aborted) return;
    const hit = await this.#inject(planned.fault, caught ?? planned.worker);
    this.#note(planned, hit);
    await hit.over;
  }

  #note(planned: PlannedFault, hit: Hit): void {
    const { firedAtMs, worker, inFlight } = hit;
    const note = hit.note ?? null;
    this.evidence.push({ planned, firedAtMs, worker, inFlight, note });
    const where = worker === null ? '' : ` worker ${worker}`;
    const how = firedAtMs === null ? ' came to nothing' : inFlight ? ' in flight' : '';
    this.#log(
      `fault ${planned.n} (${(planned.atMs / 1000).toFixed(1)} s) ${JSON.stringify(planned.fault)}${where}${how}${note === null ? '' : `: ${note}`}`,
    );
  }

  /** Has the service hold the next requests, and gives the worker that has one in flight. */
  async #catchRequest(n: number): Promise<number | undefined> {
    const { fake, slots } = this.#stage;
    const script = fake.script(botNames[n % botNames.length] ?? 'alpha', {}, step.hold(heldForMs));
    const untilMs = performance.now() + patienceMs;
    try {
      while (performance.now() < untilMs && !this.#ending.aborted) {
        const slot = this.#stage.slotInFlight();
        if (slot && script.played > 0) return slots.indexOf(slot);
        await sleep(5);
      }
      return undefined;
    } finally {
      script.withdraw();
    }
  }

  async #inject(fault: Fault, worker: number): Promise<Hit> {
    const { slots, fake, temporal } = this.#stage;
    const slot = slots[worker];
    if (!slot) throw new Error(`there is no worker ${worker}`);
    const firedAtMs = Date.now();
    const here: Hit = { firedAtMs, worker, inFlight: slot.service.busy > 0 };
    const anywhere: Hit = { ...here, worker: null, inFlight: this.#stage.slotInFlight() !== undefined };
    const nothing: Hit = { ...here, firedAtMs: null, inFlight: false };
    switch (fault.kind) {
      case 'worker_kill':
        return slot.kill(fault.downMs) ? here : nothing;
      case 'worker_stop':
        return slot.stop(fault.downMs) ? here : nothing;
      case 'worker_freeze':
        return slot.isUp ? { ...here, over: slot.freeze(fault.forMs, this.#ending) } : nothing;
      case 'worker_clock':
        slot.setClock(fault.offsetMs);
        return here;
      case 'server_kill':
        if (!temporal.isUp) return { ...nothing, worker: null };
        return { ...anywhere, over: temporal.kill(fault.downMs, this.#ending) };
      case 'service_net':
        return { ...here, over: this.#disturb(slot.service, fault.mode, fault.forMs) };
      case 'temporal_net':
        return { ...here, over: this.#disturb(slot.temporal, fault.mode, fault.forMs) };
      case 'service_down':
        return { ...anywhere, over: this.#takeDown(fault.how, fault.forMs) };
      case 'penalty':
        await fake.flood(fault.bot, fault.seconds);
        return anywhere;
      case 'answer':
        return this.#answer(fault);
    }
  }

  async #disturb(proxy: TcpProxy, mode: ProxyMode, forMs: number): Promise<void> {
    proxy.set(mode);
    await sleep(forMs, undefined, { signal: this.#ending }).catch(() => {});
    // A later fault of the same proxy has its own end.
    if (proxy.mode === mode) proxy.set({ kind: 'pass' });
  }

  async #takeDown(how: 'refuse' | 'reset' | 'blackhole', forMs: number): Promise<void> {
    const { fake } = this.#stage;
    if (how === 'blackhole') fake.blackhole();
    else fake.refuse({ inProgress: how === 'reset' ? 'reset' : 'finish' });
    await sleep(forMs, undefined, { signal: this.#ending }).catch(() => {});
    await fake.accept();
  }

  async #answer(fault: Extract<Fault, { kind: 'answer' }>): Promise<Hit> {
    const script = this.#stage.fake.script(fault.bot, {}, fault.step);
    const untilMs = performance.now() + 2 * patienceMs;
    while (script.played === 0 && performance.now() < untilMs && !this.#ending.aborted) await sleep(10);
    script.withdraw();
    const hit = script.played > 0;
    return { firedAtMs: hit ? Date.now() : null, worker: null, inFlight: hit };
  }
}
