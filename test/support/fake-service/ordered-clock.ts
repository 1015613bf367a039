export type NowMs = () => number | Promise<number>;

/** Reads a clock in the order of the calls. A clock that fails is a problem, and repeats its last reading. */
export class OrderedClock {
  readonly #nowMs: NowMs;
  readonly #onProblem: (problem: unknown) => void;
  #last: Promise<number> = Promise.resolve(0);

  constructor(nowMs: NowMs, onProblem: (problem: unknown) => void) {
    this.#nowMs = nowMs;
    this.#onProblem = onProblem;
  }

  read(): Promise<number> {
    this.#last = this.#last.then(async (lastMs) => {
      try {
        return await this.#nowMs();
      } catch (problem) {
        this.#onProblem(problem);
        return lastMs;
      }
    });
    return this.#last;
  }
}
