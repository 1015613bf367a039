import { setTimeout as pause } from 'node:timers/promises';
import { runDemo } from './demo.ts';
import { verdictLine } from './document.ts';
import { type DemoOptions, readOptions, usage } from './options.ts';
import { createScreen } from './screen.ts';
import { Stage } from './stage.ts';

/** `npm run demo`. Whatever ends it, nothing that it started stays behind. */

class Interrupted extends Error {}

/** Rejects at the first signal; the second one ends the process at once, and the watchdogs end what is left. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    let isSecond = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isSecond) process.exit(130);
        isSecond = true;
        reject(new Interrupted());
      });
    }
    // Whoever reads the output has gone.
    process.stdout.on('error', () => reject(new Interrupted()));
  });
}

async function run({ json, keep }: DemoOptions): Promise<number> {
  const interrupted = interruption();
  interrupted.catch(() => {});
  const screen = createScreen(json ? process.stderr : process.stdout);
  const stage = await Stage.open();
  try {
    const found = await Promise.race([runDemo(stage, screen, { keep }), interrupted]);
    screen.say(`\n${verdictLine(found)}`);
    if (json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
    const code = found.ok ? 0 : 1;
    if (!keep) return code;
    screen.say(
      `All stays up until Ctrl-C: Temporal at ${found.temporalAddress}, its Web UI at ${found.webUi}`,
    );
    await interrupted.catch(() => {});
    return code;
  } catch (error) {
    if (error instanceof Interrupted) {
      screen.freeze();
      screen.say('\nInterrupted: everything is being ended');
      screen.close();
      return 130;
    }
    screen.close();
    process.stderr.write(
      `\nreplylane: the demo failed: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return 1;
  } finally {
    await stage.close();
  }
}

const reading = readOptions(process.argv.slice(2));
switch (reading.kind) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'problem':
    process.stderr.write(`replylane: ${reading.problem}\n\n${usage}`);
    process.exitCode = 2;
    break;
  case 'run': {
    const code = await run(reading.options);
    process.exitCode = code;
    // What a broken-off course still waits for must not keep the process; output on its way gets a moment.
    await pause(100);
    process.exit(code);
  }
}
