import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { packageRoot } from '../../tools/temporal/package-root.ts';

// Compiled, because another Node process is to run it: npm test builds it first.
const launcher = pathToFileURL(join(packageRoot(), 'dist', 'tools', 'temporal', 'dev-server.js')).href;

it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'a normal exit'] as const)(
  'the server does not outlive the process that started it: %s',
  async (end) => {
    const script = `
      import { startDevServer } from ${JSON.stringify(launcher)};
      const server = await startDevServer({ cliPath: process.env.CLI });
      console.log(server.address);
      process.stdin.on('data', () => process.exit(0));
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, CLI: inject('temporalCliPath') },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const port = Number(String(line).trim().split(':')[1]);
    expect(await isListening(port)).toBe(true);

    if (end === 'a normal exit') parent.stdin.write('exit\n');
    else parent.kill(end);
    await once(parent, 'close');

    for (let tries = 0; tries < 80 && (await isListening(port)); tries += 1) await sleep(100);
    expect(await isListening(port)).toBe(false);
  },
);

/** Asks the port, not the process: an ended process may stay in the table until something waits for it. */
async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
