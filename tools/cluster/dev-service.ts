import { join } from 'node:path';
import { freePort } from '../temporal/free-port.ts';
import { type ComposeProject, serviceOf } from './compose-file.ts';
import { isOpen, startProcess, untilReady } from './long-process.ts';

export interface DevService {
  readonly address: string;
  readonly uiUrl: string;
  stop(): Promise<void>;
}

/** Runs the command of the service `dev` with the program of its image: on loopback, with its file in that folder. */
export async function startDevService(
  cli: string,
  project: ComposeProject,
  folder: string,
): Promise<DevService> {
  const port = await freePort();
  const uiPort = await freePort();
  const args = withOther(serviceOf(project, 'dev').command ?? [], {
    '--ip': '127.0.0.1',
    '--db-filename': join(folder, 'dev.db'),
  });
  const ports = ['--port', String(port), '--ui-port', String(uiPort)];
  const server = await startProcess(cli, [...args, ...ports], {
    env: { PATH: '/usr/bin:/bin', HOME: folder },
  });
  await untilReady(server, () => isOpen(port), 60_000);
  return {
    address: `127.0.0.1:${port}`,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    stop: async () => void (await server.end('SIGTERM')),
  };
}

/** The options with other values; an option that is not there is an error. */
function withOther(args: readonly string[], values: Readonly<Record<string, string>>): readonly string[] {
  const nameOf = (arg: string): string => arg.split('=', 1)[0] ?? '';
  const strange = Object.keys(values).filter((name) => !args.some((arg) => nameOf(arg) === name));
  if (strange.length > 0) throw new Error(`docker-compose.yml does not give ${strange.join(', ')}`);
  return args.map((arg) => {
    const value = values[nameOf(arg)];
    return value === undefined ? arg : `${nameOf(arg)}=${value}`;
  });
}
