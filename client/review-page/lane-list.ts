import { html } from 'hono/html';
import type { LaneView } from '../../domain/lane/show.ts';
import { LaneNotFoundError, NoWorkerError } from '../errors.ts';
import type { LaneClient } from '../lane-client.ts';
import { type Html, type Page, instant, shown } from './document.ts';

type LaneReading =
  | { readonly kind: 'lane'; readonly bot: string; readonly lane: LaneView }
  | { readonly kind: 'unread'; readonly bot: string; readonly why: string };

/** Reads a lane without beginning one. A lane that has ended is started again by the look. */
export async function readLane(lane: Pick<LaneClient, 'bot' | 'exists' | 'show'>): Promise<LaneReading> {
  const { bot } = lane;
  try {
    if (!(await lane.exists())) return { kind: 'unread', bot, why: 'has not begun: no worker with it yet' };
    return { kind: 'lane', bot, lane: await lane.show() };
  } catch (error) {
    if (error instanceof NoWorkerError) return { kind: 'unread', bot, why: 'no worker answers' };
    if (error instanceof LaneNotFoundError) return { kind: 'unread', bot, why: 'does not run' };
    throw error;
  }
}

/** Each bot's lane: whether it is open; if not, why and until when. */
export function laneList(lanes: readonly LaneReading[]): Page {
  const body =
    lanes.length === 0
      ? html`<p>No bots were named to this page.</p>`
      : html`<div class="wide" role="region" aria-label="Lanes" tabindex="0">
          <table>
            <thead>
              <tr>
                <th scope="col">Bot</th>
                <th scope="col">State</th>
                <th scope="col">Reason</th>
                <th scope="col">Closed until</th>
                <th scope="col">Waiting</th>
                <th scope="col">In flight</th>
                <th scope="col">Sent</th>
                <th scope="col">Floods</th>
              </tr>
            </thead>
            <tbody>
              ${lanes.map(row)}
            </tbody>
          </table>
        </div>`;
  return { status: 200, title: 'Lanes', body };
}

function row(reading: LaneReading): Html {
  const { bot } = reading;
  if (reading.kind === 'unread')
    return html`<tr>
      <th scope="row">${bot}</th>
      <td colspan="7">not known: ${reading.why}</td>
    </tr>`;
  const { lane } = reading;
  const { state, reason, until } = closing(lane);
  return html`<tr>
    <th scope="row">${bot}</th>
    <td>${state}</td>
    <td>${reason}</td>
    <td>${until}</td>
    <td>${lane.waiting}</td>
    <td>${lane.outstanding}</td>
    <td>${lane.sent}</td>
    <td>${lane.floods}</td>
  </tr>`;
}

interface Closing {
  readonly state: string;
  readonly reason: string;
  readonly until: string | Html;
}

function closing({ bot, stopped, paused, notBefore, reason }: LaneView): Closing {
  const resumed = html`somebody resumes it: <code>replylane lane resume ${bot} --by NAME --reason WHY</code>`;
  if (stopped) return { state: 'stopped by itself', reason: shown(stopped.why), until: resumed };
  if (paused) return { state: 'paused', reason: shown(`by ${paused.by}: ${paused.reason}`), until: resumed };
  if (notBefore) return { state: 'cooling down', reason: shown(reason ?? ''), until: instant(notBefore) };
  return { state: 'open', reason: '–', until: '–' };
}
