import { claimBatch } from '../domain/lane/batch.ts';
import { noteReports } from '../domain/lane/batch.ts';
import type { Ask } from '../domain/lane/messages.ts';
import { defaultLanePolicy } from '../domain/lane/policy.ts';
import { freezeLane } from '../domain/lane/snapshot.ts';
import { type Lane, newLane } from '../domain/lane/state.ts';
import { type Figure, median, round } from './figure.ts';

const startMs = 1_800_000_000_000;
const batchSize = 50;

/** The pure lane with many replies waiting in a long cooldown: size of its state, and time of a claim. */
export function measureLane(): Figure[] {
  const few = closedLane(10, 10);
  const many = closedLane(10_000, 1000);
  const bytes = Buffer.byteLength(JSON.stringify(freezeLane(many, startMs)));
  // In turns, so that both meet the same machine.
  const ratios: number[] = [];
  for (let round = 0; round < 15; round++) {
    const fewMs = claimTime(few, round);
    const manyMs = claimTime(many, round);
    ratios.push(manyMs / fewMs);
  }
  const ratio = median(ratios);
  return [
    {
      what: 'state of a lane with 10,000 replies waiting on 1,000 chats (JSON bytes)',
      measured: `${bytes} (${round(bytes / 1024, 1)} KiB)`,
      goal: 'at most 256 KiB',
      met: bytes <= 256 * 1024,
    },
    {
      what: 'time of a claim with 10,000 waiting over one with 10 waiting (median of 15 pairs)',
      measured: round(ratio),
      goal: 'about 1 (at most 2)',
      met: ratio <= 2,
    },
  ];
}

function closedLane(replies: number, chats: number): Lane {
  const lane = newLane('bench', 'epoch', startMs);
  const first = ask('first', 'chat-first', 0);
  claimBatch(lane, { policy: defaultLanePolicy, asks: [first] }, startMs);
  const flood = { reply: 'first', attempt: 1, nonce: 'n-first', chat: 'chat-first', ageMs: 0 };
  noteReports(lane, [{ ...flood, outcome: 'flood', retryAfterMs: 3_600_000 }], startMs + 20);
  for (let i = 0; i < replies; i += batchSize) {
    const asks = Array.from({ length: Math.min(batchSize, replies - i) }, (_, j) => waitingAsk(i + j, chats));
    claimBatch(lane, { policy: defaultLanePolicy, asks }, startMs + 100 + i);
  }
  return lane;
}

/** Mean time of an ask that comes again, over 200 of them. */
function claimTime(lane: Lane, round: number): number {
  const nowMs = startMs + 60_000 + round * 1000;
  const before = performance.now();
  for (let i = 0; i < 200; i++) {
    claimBatch(lane, { policy: defaultLanePolicy, asks: [waitingAsk(i % 10, 10)] }, nowMs);
  }
  return (performance.now() - before) / 200;
}

function waitingAsk(index: number, chats: number): Ask {
  return ask(`upd-${1_000_000 + index}-reply`, String(4_503_600_000 + (index % chats)), 1);
}

function ask(reply: string, chat: string, attempt: number): Ask {
  return {
    reply,
    run: 'run',
    attempt: Math.max(1, attempt),
    nonce: `n-${reply}`,
    chat,
    chatKind: 'chat',
    weight: 1,
    class: 'reply',
    scheduledAtMs: startMs,
  };
}
