import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { runCli } from '../cli/run-cli.ts';
import { type ServeProcess, deliver, startServe, telegramUpdate } from '../cli/serve-process.ts';
import { step } from '../support/fake-service/index.ts';
import {
  type FakeUnifyport,
  startFakeUnifyport,
  unifyportStep,
} from '../support/fake-service/fake-unifyport.ts';
import { type Secrets, leaksIn } from '../support/leaks.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const text = 'The code of your safe is 4711-XYZ';
const account = 'acc_MARKED-ACCOUNT-ID';
const hook = 'the-marked_secret-of-the-webhook';
const apiToken = 'the-marked-token-of-the-api';
const chatOf = (index: number): number => 731_246_590 + index;

/** Of the services and of this installation: they may stand nowhere. */
const credentials: Secrets = {
  token: Rig.tokenOf('support'),
  'API key': Rig.tokenOf('paid'),
  'account id': account,
  'webhook secret': hook,
  'API token': apiToken,
};
/** A reply's own: it may stand in its input, and where it was asked for. */
const contents: Secrets = { text };
/** What all chats of the drill begin with. A lane paces each chat, so that its messages name them: no other place may. */
const destinations: Secrets = { destination: String(chatOf(0)).slice(0, -1) };
const all = { ...credentials, ...contents, ...destinations };

let rig: Rig;
let fake: FakeUnifyport;
let app: ServeProcess;
/** What may hold a reply's content (invariant 8): its input, that of its own activity, and what was shown on request. */
const own = new Map<string, string>();
/** Everything else that the drill has left behind, by place. */
const left = new Map<string, string>();

const env = () => ({
  ...rig.env(),
  HOOK_SECRET: hook,
  REPLYLANE_API_TOKEN: apiToken,
  REPLYLANE_LOG: 'json',
  REPLYLANE_METRICS_PORT: '0',
});

beforeAll(async () => {
  fake = await startFakeUnifyport({
    accounts: { [account]: { name: 'paid', apiKey: credentials['API key'] ?? '' } },
  });
  const support = { httpTimeoutMs: 1000, heldPauseMs: 1000, webhookSecretEnv: 'HOOK_SECRET' };
  const paid = { contract: 'unifyport', accountId: account, apiRoot: fake.apiRoot, httpTimeoutMs: 1000 };
  rig = await Rig.start({ workers: 0, bots: { support: { settings: support }, paid: { settings: paid } } });
  await rig.addWorker(env());
  app = await startServe(env());
  await drill();
  await people();
  await gather();
}, 240_000);
afterAll(async () => {
  app?.child.kill('SIGKILL');
  await rig?.close();
  await fake?.stop();
});

describe('invariant 8: after a drill through every outcome', () => {
  it('there was something to find, in the places that may hold it', () => {
    expect([...left.keys()]).toEqual(
      expect.arrayContaining(['worker output', 'metrics', 'serve output', 'rest of cooldown:support']),
    );
    expect([...own.keys()]).toEqual(
      expect.arrayContaining(['input of reply:support:sent', 'input of reply:paid:failed']),
    );
    for (const place of ['input of reply:support:sent', 'review show --show-content'])
      expect(leaksIn(own, contents), place).toContain(`text in ${place}`);
    expect(left.get('metrics')).toContain('replylane_');
    expect(left.get('worker output')).toContain('"event":"attempt"');
  });

  it('the search would have found each of them in each place', () => {
    for (const [place, written] of left) {
      const planted = new Map(
        Object.entries(all).map(([name, secret]) => [
          name,
          `${written}${Buffer.from(JSON.stringify({ planted: secret })).toString('base64')}`,
        ]),
      );
      const found = leaksIn(planted, all);
      for (const name of Object.keys(all)) expect(found, place).toContain(`${name} in ${name}`);
    }
  });

  it('no token, key, secret or account id stands anywhere', () => {
    expect(leaksIn(new Map([...left, ...own]), credentials)).toEqual([]);
  });

  it('the text stands in the input of its own reply, and where it was asked for', () => {
    expect(leaksIn(left, contents)).toEqual([]);
  });

  it('the destination stands in no log, metric, page, list, error or answer of the command line', () => {
    const shown = [...left].filter(([place]) => !place.startsWith('rest of '));
    expect(leaksIn(new Map(shown), destinations)).toEqual([]);
  });
});

/** A reply of each outcome, by a bare start, a webhook and the API. */
async function drill(): Promise<void> {
  const scripts = {
    sent: undefined,
    flood: step.flood(1),
    rejected: step.forbidden(),
    echoed: step.badRequest(`Bad Request: cannot send "${text}" with ${String(credentials['token'])}`),
    held: step.tooManyRequests(null),
    unknown: step.silence({ store: true }),
    page: step.htmlPage({ store: false }),
  };
  for (const [index, [key, script]] of Object.entries(scripts).entries()) {
    if (script) rig.fake.script('support', { chat: chatOf(index), times: 1 }, script);
    await rig.start(textReply('support', key, chatOf(index), { text }));
    await rig.until('support', key, isSettled);
  }
  const params = { recipient_type: 'user', recipient: String(chatOf(7)), text };
  const replies = new ReplyClient(rig.client, { contracts: { paid: 'unifyport' } });
  await replies.send({ bot: 'paid', chat: `user:${params.recipient}`, text }, { key: 'sent' });
  await rig.until('paid', 'sent', isSettled);
  fake.script(account, unifyportStep.sendFailed({ store: true }));
  await replies.send({ bot: 'paid', chat: `user:${params.recipient}`, text }, { key: 'failed' });
  await rig.until('paid', 'failed', isSettled);

  const webhook = `${app.url}/webhooks/support`;
  const update = telegramUpdate(1044, chatOf(8), text);
  left.set('status of a webhook', String(await deliver(webhook, hook, update)));
  await rig.until('support', 'upd-1044-reply', isSettled);
  await page('webhook, wrong secret', '/webhooks/support', { body: update });
  await page('API, wrong token', '/v1/replies', { body: JSON.stringify({ bot: 'support', text }) });
  const headers = { authorization: `Bearer ${apiToken}`, 'idempotency-key': 'by-api' };
  const good = { bot: 'support', chat: chatOf(1), text };
  await page('API', '/v1/replies', { headers, body: JSON.stringify(good) });
  const other = { ...good, text: `${text} and more` };
  await page('API, other content', '/v1/replies', { headers, body: JSON.stringify(other) });
  await page('API, wrong field', '/v1/replies', { headers, body: JSON.stringify({ ...good, texts: text }) });
  await rig.until('support', 'by-api', isSettled);

  rig.fake.refuse();
  await rig.start(textReply('support', 'refused', chatOf(1), { text }));
  await rig.until('support', 'refused', ({ attempts }) => attempts.length > 0);
  await rig.fake.accept();
}

/** What people ask for and decide by the command line, their mistakes among it. */
async function people(): Promise<void> {
  const who = ['--by', 'ops', '--reason', 'seen'];
  const file = join(rig.folder, 'replies.jsonl');
  const line = JSON.stringify({ bot: 'support', key: 'x', chat: chatOf(1), text, txt: text });
  await writeFile(file, `${line}\n{"bot":"support","text":"${text}"\n`);
  const commands: readonly (readonly string[])[] = [
    ['config', 'check'],
    ['list'],
    ['status', 'support/sent'],
    ['status', 'support/nothing'],
    ['review', 'list'],
    ['review', 'show', 'support/unknown'],
    ['send', '--bot', 'support', '--chat', String(chatOf(0)), '--text', `${text}!`, '--key', 'sent'],
    ['send', '--file', file],
    ['review', 'decide', 'support/unknown', '--attempt', '7', '--decision', 'sent', ...who],
    ['review', 'decide', 'support/unknown', '--attempt', '1', '--decision', 'resend', ...who],
    ['review', 'decide', '--all', '--yes', '--bot', 'paid', '--decision', 'not_sent', ...who],
    ['cancel', 'support/refused', ...who],
    ['lane', 'show', 'support'],
    ['lane', 'pause', 'support', ...who],
    ['lane', 'resume', 'support', ...who],
    ['links'],
  ];
  const shown = await runCli(['review', 'show', 'support/unknown', '--show-content'], { env: env() });
  own.set('review show --show-content', shown.stdout);
  left.set('notes of review show --show-content', shown.stderr);
  for (const args of commands) {
    const name = args.slice(0, 3).join(' ').replaceAll(text, 'TEXT');
    const forms = ['decide', 'pause', 'resume'].includes(args[1] ?? '') ? [['--json']] : [[], ['--json']];
    for (const form of forms) {
      const end = await runCli([...form, ...args], { env: env() });
      left.set([...form, name, left.size].join(' '), `${end.stdout}\n${end.stderr}`);
    }
  }
  const content = { method: 'sendMessage', params: { chat_id: chatOf(0), txt: text } };
  const refusal = new ReplyClient(rig.client).send({ bot: 'support', content }, { key: 'wrong' });
  left.set('error of a wrong content', await refusal.then(() => 'none', String));
  expect(left.get('error of a wrong content')).toContain('ReplyInputError');
  await rig.until('support', 'unknown', isSettled);
}

async function gather(): Promise<void> {
  const output = rig.workers.map((worker) => worker.output()).join('\n');
  left.set('worker output', output);
  const [metrics = ''] = /http:\/\/[\d.:]+\/metrics/.exec(output) ?? [];
  left.set('metrics', await (await fetch(metrics)).text());
  left.set('readiness', await (await fetch(metrics.replace('/metrics', '/readyz'))).text());
  left.set('serve output', `${app.stdout()}\n${app.stderr()}`);
  for await (const { workflowId, runId, memo, searchAttributes } of rig.client.workflow.list()) {
    left.set(`list entry of ${workflowId}`, JSON.stringify({ memo, searchAttributes }));
    const handle = rig.client.workflow.getHandle(workflowId, runId);
    const { events } = await handle.fetchHistory();
    const isReply = workflowId.startsWith('reply:');
    const mayHold = (event: NonNullable<typeof events>[number]): boolean =>
      isReply &&
      Boolean(event.workflowExecutionStartedEventAttributes ?? event.activityTaskScheduledEventAttributes);
    own.set(`input of ${workflowId}`, JSON.stringify(events?.filter(mayHold)));
    const rest = events?.filter((event) => !mayHold(event));
    left.set(`rest of ${workflowId}`, JSON.stringify(rest));
    const { raw } = await handle.describe();
    left.set(`description of ${workflowId}`, JSON.stringify(raw));
    if (isReply && (await handle.describe()).status.name === 'RUNNING')
      left.set(`record of ${workflowId}`, JSON.stringify(await handle.query('reply')));
  }
  left.set('lane view', JSON.stringify(await rig.lane('support')));
}

async function page(name: string, path: string, init: RequestInit): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const response = await fetch(app.url + path, { method: 'POST', ...init, headers });
  const got = JSON.stringify([...response.headers]);
  left.set(`page: ${name}`, `${response.status} ${got} ${await response.text()}`);
}

function isSettled({ state }: ReplyRecord): boolean {
  return state === 'sent' || state === 'rejected' || state === 'review';
}
