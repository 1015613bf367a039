interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

/** Virtual time: what is to happen, by instant, then in the order it was planned. */
export class Timeline {
  nowMs: number;
  private readonly heap: Event[] = [];
  private planned = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  after(delayMs: number, act: () => void): void {
    const event = { atMs: this.nowMs + Math.max(0, Math.round(delayMs)), order: this.planned++, act };
    let at = this.heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, this.heap[parent]!)) break;
      this.heap[at] = this.heap[parent]!;
      at = parent;
    }
    this.heap[at] = event;
  }

  /** Lets everything happen up to an instant; stops there, or when nothing is planned any more. */
  runUntil(endMs: number): void {
    for (let next = this.heap[0]; next && next.atMs <= endMs; next = this.heap[0]) {
      this.takeFirst();
      this.nowMs = next.atMs;
      next.act();
    }
  }

  private takeFirst(): void {
    const last = this.heap.pop()!;
    if (this.heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.heap.length) break;
      if (child + 1 < this.heap.length && isBefore(this.heap[child + 1]!, this.heap[child]!)) child++;
      if (!isBefore(this.heap[child]!, last)) break;
      this.heap[at] = this.heap[child]!;
      at = child;
    }
    this.heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
