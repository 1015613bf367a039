import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../temporal/free-port.ts';
import { commonCases, photo, strangerKey } from './cases.ts';
import {
  type Case,
  type Difference,
  type ForeignServer,
  type Received,
  askServer,
  pinnedVersion,
} from './foreign-server.ts';
import { startForeignProcess } from './foreign-process.ts';
import { installFromPypi, sourceFile } from './install.ts';

const name = 'telemelya';

const cases: readonly Case[] = [
  ...commonCases,
  {
    key: 'photo',
    what: '`sendPhoto` by URL, with a caption',
    content: { method: 'sendPhoto', params: photo },
    expected: { state: 'sent' },
  },
  {
    key: 'dice',
    what: '`sendDice`',
    content: { method: 'sendDice', params: { chat_id: 1006 } },
    expected: { state: 'review', evidence: /^HTTP 404, application\/json, /, decision: 'not_sent' },
  },
  {
    key: 'webhook',
    what: '`setWebhook` without its `url`',
    content: { method: 'setWebhook', params: {} },
    expected: { state: 'rejected', description: 'Bad Request: no url specified' },
  },
  {
    key: 'refused',
    what: '`editMessageText` of a message that is not there',
    content: {
      method: 'editMessageText',
      params: { chat_id: 1001, message_id: 999_999, text: 'Nobody reads this.' },
    },
    expected: { state: 'rejected', description: 'Bad Request: message to edit not found' },
  },
  {
    key: 'edit',
    what: '`editMessageText` of the first message',
    content: (messageId) => ({
      method: 'editMessageText',
      params: { chat_id: 1001, message_id: messageId, text: 'Your parcel has arrived.' },
    }),
    expected: { state: 'sent' },
  },
];

const differences: readonly Difference[] = [
  {
    words: 'It takes any token and any chat, and does not keep the token.',
    holds: (record) => record(strangerKey).state === 'sent',
  },
  {
    words:
      'It refuses with HTTP 200 and `"result": null`. The body decides, so the reply is `rejected` all the same.',
    holds: (record) => record('refused').attempts[0]?.httpStatus === 200,
  },
  {
    words:
      'It does not have `sendDice`. It answers HTTP 404 with `{"detail": …}` and no `ok`, as any other web server could: ' +
      '`unknown`, for a person. (The service answers 404 in its own form.)',
    holds: (record) => record('dice').attempts[0]?.httpStatus === 404,
  },
];

/** PyPI's telemelya, in a process of its own. */
export async function startTelemelya(): Promise<ForeignServer> {
  const packages = await installFromPypi(name);
  const port = await freePort();
  const apiRoot = `http://127.0.0.1:${port}`;
  // It reads a `.env` where it is started.
  const cwd = mkdtempSync(join(tmpdir(), 'replylane-telemelya-'));
  process.once('exit', () => rmSync(cwd, { recursive: true, force: true }));
  const env = { PYTHONPATH: packages, MOCK_SERVER_PORT: String(port) };
  const command = ['python3', sourceFile(name, 'serve.py')] as const;
  const { stop } = await startForeignProcess(name, command, { url: apiRoot, cwd, env });
  return {
    name,
    registry: 'PyPI',
    version: pinnedVersion(/^telemelya==(.+)$/m, name, 'requirements.txt'),
    how:
      "Its code as it is, with its `STRICT_EDIT`. The Redis that it asks for is PyPI's `fakeredis`; its storage of " +
      'uploaded files, which no case uses, is a bucket that is always there (`tools/compatibility/telemelya/serve.py`).',
    apiRoot,
    received: () => responses(apiRoot),
    stop,
    cases,
    differences,
  };
}

interface Responses {
  readonly responses: readonly {
    readonly method: string;
    readonly file_id?: string;
    readonly raw: Readonly<Record<string, unknown>>;
  }[];
}

/** Of a photo it keeps the URL as if it were the id of a file, beside the other parameters. */
async function responses(apiRoot: string): Promise<readonly Received[]> {
  const headers = { authorization: 'Bearer any' };
  const answer = (await askServer(`${apiRoot}/api/v1/test/responses`, { headers })) as Responses;
  return answer.responses.map(({ method, file_id: photoUrl, raw }) => {
    const params = photoUrl === undefined ? raw : { ...raw, photo: photoUrl };
    return { content: { method, params }, token: null };
  });
}
