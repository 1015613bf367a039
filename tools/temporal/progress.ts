const REPEAT_EVERY_MS = 10_000;

export interface Progress {
  /** Replaces what the repeated line says. */
  say(message: string): void;
  done(message: string): void;
  stop(): void;
}

/** One line now and one at least every ten seconds with the time gone by, on stderr: stdout belongs to --json. */
export function startProgress(first: string): Progress {
  const startedMs = performance.now();
  let current = first;
  const elapsed = () => `${Math.round((performance.now() - startedMs) / 1000)} s`;
  const write = (line: string) => process.stderr.write(`replylane: ${line}\n`);
  const timer = setInterval(() => write(`${current} (${elapsed()})`), REPEAT_EVERY_MS);
  timer.unref();
  write(first);
  return {
    say(message) {
      current = message;
      write(`${message} (${elapsed()})`);
    },
    done(message) {
      clearInterval(timer);
      write(`${message} (${elapsed()})`);
    },
    stop() {
      clearInterval(timer);
    },
  };
}
