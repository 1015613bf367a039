import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findLostRun } from '../../activities/lost-run.ts';
import { createReplyMessages } from '../../activities/reply-messages.ts';

let env: TestWorkflowEnvironment;
/** A workflow that the server has. */
const execution = { workflowId: 'reply:bot:k', runId: '' };

beforeAll(async () => {
  env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: inject('timeSkippingServerPath') } },
  });
  const { workflowId } = execution;
  const handle = await env.client.workflow.start('anything', { workflowId, taskQueue: 'nobody' });
  execution.runId = handle.firstExecutionRunId;
});

afterAll(() => env.teardown());

describe('a server that lacks a call (the time-skipping test server)', () => {
  it('has no list of workflows: an earlier run cannot be told, and the reply goes on', async () => {
    expect(await createReplyMessages(env.client).earlierRun(execution)).toBeUndefined();
  });

  it('cannot read a history backwards: when a lost run began is not known', async () => {
    expect(await findLostRun(env.client, execution)).toBeUndefined();
  });
});
