import type { Client } from '@temporalio/client';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import type { ClaimRequest } from '../../domain/lane/batch.ts';
import type { ControlRequest, ExtendRequest, Report, Verdict } from '../../domain/lane/messages.ts';
import type { LaneView } from '../../domain/lane/show.ts';
import { missingPredecessorMs } from '../../domain/lane/order.ts';
import type { Closing, Grant, LaneEvidence } from './evidence.ts';

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

/** Settings that the lane applies to what it is told. */
interface Pauses {
  readonly heldPauseMs: number;
}

/** Reads from the histories of all runs of a bot's lane what it granted, and what it was told. */
export async function readLane(client: Client, bot: string, pauses: Pauses): Promise<LaneEvidence> {
  const workflowId = cooldownWorkflowId(bot);
  const reading = new LaneReading(pauses);
  const runs: { runId: string; startTime: Date }[] = [];
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run);
  runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
  for (const { runId } of runs) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) reading.take(event);
  }
  return { bot, grants: [...reading.grants.values()], closings: reading.closings, skips: [...reading.skips] };
}

/** Takes in one event of a lane's history after the other. */
class LaneReading {
  readonly grants = new Map<string, Grant>();
  readonly closings: Closing[] = [];
  readonly skips = new Set<string>();
  readonly #pauses: Pauses;
  readonly #requests = new Map<string, { readonly name: string; readonly args: readonly unknown[] }>();

  constructor(pauses: Pauses) {
    this.#pauses = pauses;
  }

  take(event: HistoryEvent): void {
    const { workflowExecutionSignaledEventAttributes: signal } = event;
    if (signal) this.#takeSignal(signal.signalName ?? '', valuesOf(signal.input), instantOf(event));
    const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
    if (accepted?.acceptedRequest) {
      const { meta, input } = accepted.acceptedRequest;
      this.#requests.set(meta?.updateId ?? '', { name: input?.name ?? '', args: valuesOf(input?.args) });
    }
    const { workflowExecutionUpdateCompletedEventAttributes: completed } = event;
    if (completed?.outcome?.success) {
      const request = this.#requests.get(completed.meta?.updateId ?? '');
      const [answer] = valuesOf(completed.outcome.success);
      if (request?.name === 'claim')
        this.#takeClaim(request.args[0] as ClaimRequest, answer as readonly Verdict[]);
      if (request?.name === 'control')
        this.#takeControl(request.args[0] as ControlRequest, answer as LaneView);
    }
  }

  #takeClaim({ asks }: ClaimRequest, verdicts: readonly Verdict[]): void {
    for (const [i, { reply: key, attempt, heldSinceMs }] of asks.entries()) {
      const verdict = verdicts[i];
      const name = `${key} ${attempt}`;
      if (verdict === undefined || verdict.kind === 'refused') continue;
      if (verdict.kind === 'go' && !this.grants.has(name))
        this.grants.set(name, { key, attempt, atMs: verdict.nowMs });
      const isHeld = verdict.kind === 'wait' && verdict.heldSinceMs !== undefined;
      if (!isHeld && heldSinceMs !== undefined && verdict.nowMs - heldSinceMs >= missingPredecessorMs)
        this.skips.add(key);
    }
  }

  #takeSignal(name: string, [value]: readonly unknown[], savedAtMs: number): void {
    if (name === 'extendCooldown') {
      const untilMs = savedAtMs + (value as ExtendRequest).seconds * 1000;
      this.closings.push({ why: 'extended', key: null, savedAtMs, untilMs });
    }
    if (name !== 'report') return;
    for (const { outcome, reply: key, retryAfterMs = 0, ageMs } of value as readonly Report[]) {
      if (outcome !== 'flood' && outcome !== 'held') continue;
      const forMs = outcome === 'held' ? this.#pauses.heldPauseMs : retryAfterMs;
      this.closings.push({ why: outcome, key, savedAtMs, untilMs: savedAtMs - ageMs + forMs });
    }
  }

  #takeControl({ action }: ControlRequest, view: LaneView): void {
    // The instant of the act on the lane's clock: the event is written a little later.
    const atMs = Date.parse(view.acts.at(-1)?.at ?? '');
    const open = this.closings.findIndex(({ why, untilMs }) => why === 'paused' && untilMs === Infinity);
    if (action === 'pause' && open < 0)
      this.closings.push({ why: 'paused', key: null, savedAtMs: atMs, untilMs: Infinity });
    const paused = this.closings[open];
    if (action === 'resume' && paused) this.closings[open] = { ...paused, untilMs: atMs };
  }
}

function valuesOf(
  payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined,
): unknown[] {
  return (payloads?.payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString('utf8')));
}

function instantOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;
}
