import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditSinks } from '../../workers/audit.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';

const folder = join(packageRoot(), 'test', 'fixtures', 'histories');
const bundle = join(packageRoot(), 'dist', 'workflow-bundle.js');
/** What a replay would log: nothing, since it was logged when it happened. */
const logged: string[] = [];
const sinks = auditSinks((line) => void logged.push(line));
const names = readdirSync(folder).filter((name) => /\.json(\.gz)?$/.test(name));

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  expect(existsSync(bundle), 'npm run build makes dist/workflow-bundle.js').toBe(true);
});

describe('a recorded history replays with the workflows of today', () => {
  it('there are histories of replies, of lanes and of bulk decisions', () => {
    expect(names.length).toBeGreaterThanOrEqual(21);
  });

  it.each(names)('%s', async (name) => {
    expect(await problemOf(readHistory(name))).toBeUndefined();
  });
});

it('a decision is not logged again in a replay', () => {
  expect(logged).toEqual([]);
});

describe('the control: workflows that do something else do not replay the history', () => {
  it('a reply that waits a moment before it sends', async () => {
    const code = readFileSync(bundle, 'utf8');
    const broken = code.replace(
      'await this.send();',
      'await new Promise((resolve) => setTimeout(resolve, 5)); await this.send();',
    );
    expect(broken).not.toBe(code);
    expect(await problemOf(readHistory('sent-at-once.json'), { code })).toBeUndefined();
    expect(await problemOf(readHistory('sent-at-once.json'), { code: broken })).toMatch(/nondeterminism/i);
  });
});

describe('a worker of an older version, while both run', () => {
  it('does not go on with a history that has taken a new step: its task fails, and waits for a newer worker', async () => {
    const code = readFileSync(bundle, 'utf8');
    const older = code.replace(/\S+patched\)\('late-proof-refuses'\)/, 'false');
    expect(older).not.toBe(code);
    expect(await problemOf(readHistory('decided-on-proof.json'), { code: older })).toMatch(/nondeterminism/i);
    expect(await problemOf(readHistory('proven-late.json'), { code: older })).toBeUndefined();
  });
});

describe('the control: a history that the workflows could not have made does not replay', () => {
  it('an activity of another name', async () => {
    const broken = readHistory('sent-at-once.json');
    const scheduled = broken.events.find((event) => event['activityTaskScheduledEventAttributes']);
    scheduled!['activityTaskScheduledEventAttributes'] = {
      ...(scheduled!['activityTaskScheduledEventAttributes'] as object),
      activityType: { name: 'sendTwice' },
    };
    expect(await problemOf(broken)).toMatch(/nondeterminism|activity type/i);
  });

  it('a lane that answered without being asked for its next run', async () => {
    const broken = readHistory('lane-with-floods.json.gz');
    const last = broken.events.at(-1)!;
    delete last['workflowExecutionContinuedAsNewEventAttributes'];
    last['eventType'] = 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED';
    last['workflowExecutionCompletedEventAttributes'] = { workflowTaskCompletedEventId: '4' };
    expect(await problemOf(broken)).toMatch(/nondeterminism|does not match/i);
  });
});

interface History {
  readonly events: Record<string, unknown>[];
}

function readHistory(name: string): History {
  const bytes = readFileSync(join(folder, name));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')) as History;
}

/** Why the history does not replay, or undefined. */
async function problemOf(
  history: History,
  workflowBundle: { readonly code: string } | { readonly codePath: string } = { codePath: bundle },
): Promise<string | undefined> {
  const workflowId = startedAs(history);
  const results = Worker.runReplayHistories({ workflowBundle, sinks }, [
    { workflowId, history: historyFromJSON(history) },
  ]);
  for await (const { error } of results) return error?.message;
  throw new Error('nothing was replayed');
}

/** The Workflow Id, which a history does not hold: from its input. */
function startedAs(history: History): string {
  const started = history.events[0]?.['workflowExecutionStartedEventAttributes'] as {
    workflowType: { name: string };
    input: { payloads: { data: string }[] };
  };
  const input = JSON.parse(Buffer.from(started.input.payloads[0]?.data ?? '', 'base64').toString('utf8')) as {
    bot: string;
    key: string;
  };
  switch (started.workflowType.name) {
    case 'cooldownWorkflow':
      return `cooldown:${input.bot}`;
    case 'bulkDecisionWorkflow':
      return 'bulk-decision:recorded';
    default:
      return `reply:${input.bot}:${input.key}`;
  }
}
