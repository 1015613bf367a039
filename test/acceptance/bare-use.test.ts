import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { replyStartOptions, replyWorkflow, replyWorkflowId } from '../../workflows/index.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: { settings: { httpTimeoutMs: 1000 } } } });
});
afterAll(() => rig?.close());

describe('a reply without our client', () => {
  it('is started by the workflow function and its options', async () => {
    const reply = textReply('support', 'typed', 1);
    const record = await rig.client.workflow.execute(replyWorkflow, replyStartOptions(reply));
    expect(record).toMatchObject({ id: 'support/typed', state: 'sent', workflowId: replyWorkflowId(reply) });
  });

  it('is started once: the same options again are refused, open or closed', async () => {
    const reply = textReply('support', 'twice', 2);
    await rig.client.workflow.execute(replyWorkflow, replyStartOptions(reply));
    await expect(rig.client.workflow.start(replyWorkflow, replyStartOptions(reply))).rejects.toThrow(
      /already started/i,
    );
    expect(rig.fake.arrivals.filter((arrival) => arrival.text === 'twice')).toHaveLength(1);
  });

  it('is a child of another workflow, on another task queue', async () => {
    const connection = await NativeConnection.connect({ address: rig.server.address });
    const worker = await Worker.create({
      connection,
      taskQueue: 'orders',
      workflowsPath: fileURLToPath(new URL('../support/parent/workflow.ts', import.meta.url)),
    });
    const record = await worker.runUntil(
      rig.client.workflow.execute('orderWorkflow', {
        workflowId: 'order-1',
        taskQueue: 'orders',
        args: [textReply('support', 'child', 3)],
      }),
    );
    await connection.close();
    expect(record).toMatchObject({ id: 'support/child', state: 'sent' });
  });

  it('is started by name with JSON, as from any language', async () => {
    await temporal('workflow', 'start', '--type', 'replyWorkflow', '--task-queue', 'replylane', '--workflow-id',
      'reply:support:by-name', '--id-reuse-policy', 'RejectDuplicate', '--input',
      JSON.stringify(textReply('support', 'by-name', 4))); // prettier-ignore
    expect(await rig.result('support', 'by-name')).toMatchObject({ state: 'sent' });
  });

  it('is seen under review in the list of workflows, though its start carried no attributes', async () => {
    rig.fake.script('support', { chat: 5, times: 1 }, step.silence({ store: true }));
    await temporal('workflow', 'start', '--type', 'replyWorkflow', '--task-queue', 'replylane', '--workflow-id',
      'reply:support:unlisted', '--input', JSON.stringify(textReply('support', 'unlisted', 5))); // prettier-ignore
    await rig.until('support', 'unlisted', ({ state }) => state === 'review');
    let found: string[] = [];
    await waitUntil(
      async () => {
        found = [];
        for await (const { workflowId } of rig.client.workflow.list({ query: 'ReplyState="review"' }))
          found.push(workflowId);
        return found.length > 0;
      },
      { withinMs: 20_000, what: () => 'the reply in the list of workflows' },
    );
    expect(found).toEqual(['reply:support:unlisted']);
  });
});

describe('invariant 1: a reply workflow of a wrong start ends before any claim', () => {
  it.each([
    [
      'another Workflow Id',
      'reply:support:other',
      textReply('support', 'mine', 6),
      /must be reply:support:mine/,
    ],
    [
      'a malformed reply',
      'reply:support:bad',
      { bot: 'support', key: 'bad', content: { method: 7 } },
      /content: method/,
    ],
    ['no reply at all', 'reply:support:none', 'hello', /must be an object/],
  ])('%s', async (_, workflowId, input, problem) => {
    const before = rig.fake.arrivals.length;
    const handle = await rig.client.workflow.start('replyWorkflow', {
      workflowId,
      taskQueue: 'replylane',
      args: [input],
    });
    await expect(handle.result()).rejects.toMatchObject({
      cause: { message: expect.stringMatching(problem) },
    });
    expect(rig.fake.arrivals.length).toBe(before);
  });
});

async function temporal(...args: readonly string[]): Promise<void> {
  const child = spawn(inject('temporalCliPath'), [...args, '--address', rig.server.address], {
    stdio: 'pipe',
  });
  const output: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(Buffer.concat(output).toString('utf8'));
}
