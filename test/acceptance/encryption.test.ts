import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplyRecord } from '../../domain/record.ts';
import { type CliEnd, documents, runCli, startCli } from '../cli/run-cli.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const secretText = 'The code of your safe is 4711-XYZ';
const keyOf = { old: randomBytes(32), new: randomBytes(32) };
const env = {
  KEY_OLD: keyOf.old.toString('base64'),
  KEY_NEW: keyOf.new.toString('base64'),
};
const both = { old: { keyEnv: 'KEY_OLD' }, new: { keyEnv: 'KEY_NEW' } };
const who = ['--by', 'ann', '--reason', 'a test'];
const folder = mkdtempSync(join(tmpdir(), 'replylane-encryption-'));

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, plain: {} }, workers: 0 });
  encryptWith({ keyId: 'old', keys: { old: both.old } });
  await rig.addWorker(env);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await rig?.close();
});

/** The configuration that processes started from now on have. */
function encryptWith(encryption: object | undefined): void {
  const path = join(rig.folder, 'replylane.config.json');
  const { bots } = JSON.parse(readFileSync(path, 'utf8')) as { bots: object };
  writeFileSync(path, JSON.stringify({ encryption, bots }));
}

const cli = (...args: string[]): Promise<CliEnd> =>
  runCli([...args, '--json'], { env: { ...rig.env(), ...env }, cwd: folder });

async function send(key: string, chat: number): Promise<void> {
  const args = ['--bot', 'support', '--chat', String(chat), '--text', secretText, '--key', key];
  const end = await cli('send', ...args);
  expect(end, end.stderr).toMatchObject({ code: 0 });
}

async function until(key: string, state: ReplyRecord['state']): Promise<void> {
  let last: CliEnd | undefined;
  await waitUntil(
    async () => {
      last = await cli('status', `support/${key}`);
      return last.code !== 5 && documents(last)[0]?.['state'] === state;
    },
    { withinMs: 60_000, what: () => `${key} to be ${state}, last ${JSON.stringify(last)}` },
  );
}

/** All that Temporal keeps of a workflow, each payload as the text that it is there. */
async function kept(workflowId: string): Promise<string> {
  const handle = rig.client.workflow.getHandle(workflowId);
  // By the service itself: a client without the keys cannot read the memo.
  const described = await rig.client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId },
  });
  return [await handle.fetchHistory(), described].map((part) => JSON.stringify(part, asText)).join('\n');
}

function asText(name: string, field: unknown): unknown {
  return name === 'data' && typeof field === 'string' ? Buffer.from(field, 'base64').toString('utf8') : field;
}

describe('with encryption', () => {
  it('the text stands nowhere in Temporal, and the command line reads everything', async () => {
    await send('sent', 1);
    await until('sent', 'sent');
    expect(rig.fake.stored('support').map(({ text }) => text)).toContain(secretText);
    for (const id of ['reply:support:sent', 'cooldown:support']) {
      const text = await kept(id);
      expect(text).toContain('encryption-key-id');
      expect(text).not.toContain('4711');
    }
    expect((await cli('list', '--state', 'sent')).stdout).toContain('support/sent');
    expect((await cli('lane', 'show', 'support')).code).toBe(0);
  });

  it('the control: a reply that an app started plain is sent, and there the search finds its text', async () => {
    await rig.start(textReply('plain', 'control', 1, { text: secretText }));
    await waitUntil(() => rig.fake.stored('plain').length === 1, {
      withinMs: 60_000,
      what: () => 'it to be sent',
    });
    expect(await kept('reply:plain:control')).toContain('4711');
  });

  it('a review is shown and decided', async () => {
    rig.fake.script('support', { chat: 2 }, step.resetAfterBody({ store: true }));
    await send('doubt', 2);
    await until('doubt', 'review');
    expect((await cli('review', 'list')).stdout).toContain('support/doubt');
    expect((await cli('review', 'show', 'support/doubt', '--show-content')).stdout).toContain(secretText);
    const decide = ['review', 'decide', 'support/doubt', '--attempt', '1', '--decision', 'sent', ...who];
    expect((await cli(...decide)).code).toBe(0);
    await until('doubt', 'sent');
  });

  it('a worker without the key says so and sends nothing; one with old and new keys sends it, and writes with the new', async () => {
    await rig.killWorkers();
    await send('waits', 3);
    encryptWith({ keyId: 'new', keys: { new: both.new } });
    const keyless = startCli(['worker', '--log', 'json'], { env: { ...rig.env(), ...env }, cwd: folder });
    try {
      await waitUntil(
        async () => keyless.stderr().includes('encrypted with the key \\"old\\", which is not here'),
        {
          withinMs: 60_000,
          what: () => `the worker to name the key: ${keyless.stderr()}`,
        },
      );
      expect((await cli('status', 'support/waits')).stderr).toMatch(/encrypted with the key "old"/);
    } finally {
      keyless.child.kill('SIGKILL');
      await keyless.ended.catch(() => undefined);
    }
    expect(rig.fake.stored('support').filter(({ chat }) => String(chat) === '3')).toEqual([]);
    encryptWith({ keyId: 'new', keys: both });
    await rig.addWorker(env);
    await until('waits', 'sent');
    await send('rotated', 4);
    await until('rotated', 'sent');
    const rotated = await kept('reply:support:rotated');
    expect(rotated).toContain(Buffer.from('new').toString('base64'));
    expect(rotated).not.toContain('4711');
  });
});
