import { spawn } from 'node:child_process';

// Reads until the pipe from its parent closes, which it does however the parent ends, SIGKILL included.
const SCRIPT = `
read -r _
kill -TERM "$1" 2>/dev/null || exit 0
for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; kill -0 "$1" 2>/dev/null || exit 0; done
kill -KILL "$1" 2>/dev/null
`;

/**
 * Ends process `pid` when this process is gone. Handlers for SIGINT and SIGTERM would not do: they change how the
 * process that starts the server ends, and SIGKILL has none. Without a POSIX shell (Windows) only a normal exit
 * ends the server.
 */
export function endWithThisProcess(pid: number): { release(): void } {
  const endNow = () => {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // Already gone.
    }
  };
  process.on('exit', endNow);
  if (process.platform === 'win32') return { release: () => process.off('exit', endNow) };

  const dog = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  dog.on('error', () => {});
  dog.stdin.on('error', () => {});
  dog.unref();
  return {
    release() {
      process.off('exit', endNow);
      dog.kill('SIGKILL');
      dog.stdin.destroy();
    },
  };
}
