import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Set-up speaks on stderr only: stdout belongs to what is run afterwards, `--json` included. */
export function say(message) {
  process.stderr.write(`replylane: ${message}\n`);
}

/**
 * Runs one command to its end and resolves with its exit code. Ctrl-C reaches the command by itself; a signal sent
 * to this process alone is passed on.
 */
export function run(file, args, { stdout = 'inherit', env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    // A .cmd file, as npm is on Windows, needs a shell.
    const shell = process.platform === 'win32' && !file.endsWith('.exe');
    const child = spawn(file, args, { cwd: ROOT, stdio: ['inherit', stdout, 'inherit'], env, shell });
    const wait = () => {};
    const passOn = (signal) => child.kill(signal);
    process.on('SIGINT', wait);
    process.on('SIGTERM', passOn);
    const settle = () => {
      process.off('SIGINT', wait);
      process.off('SIGTERM', passOn);
    };
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('close', (code, signal) => {
      settle();
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/** As `run`, for a program of an installed package; what it prints goes to stderr. */
export function runQuietly(file, args) {
  return run(file, args, { stdout: 2 });
}

/** The wrong thing to do next is obvious from one sentence; a stack trace hides it. */
export class SetupError extends Error {}
