import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TOUCH_EVERY_MS = 5_000;
const STALE_AFTER_MS = 30_000;
const ASK_EVERY_MS = 500;

/**
 * Runs `work` while no other process does the same. A lock whose holder is gone is taken over. Two processes that
 * take over at the same instant may both work, which costs time only: results are put in place by a rename.
 */
export async function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  let waited = false;
  while (!(await take(file))) {
    if (await isAbandoned(file)) {
      await rm(file, { force: true });
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await sleep(ASK_EVERY_MS);
  }
  const touch = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), TOUCH_EVERY_MS);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, `${process.pid} ${hostname()}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const [pid, host] = (await readFile(file, 'utf8')).trim().split(' ');
    if (host === hostname() && Number(pid) > 0 && !isAlive(Number(pid))) return true;
    return Date.now() - (await stat(file)).mtimeMs > STALE_AFTER_MS;
  } catch {
    return false; // Given back in between: the next try takes it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
