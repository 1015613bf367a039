import { freePort } from '../temporal/free-port.ts';
import { commonCases, firstKey, photo, strangerKey } from './cases.ts';
import {
  type Case,
  type Difference,
  type ForeignServer,
  type Received,
  askServer,
  pinnedVersion,
} from './foreign-server.ts';
import { startForeignProcess } from './foreign-process.ts';
import { installFromNpm, sourceFile } from './install.ts';

const name = 'telegram-test-api';

const cases: readonly Case[] = [
  ...commonCases,
  {
    key: 'photo',
    what: '`sendPhoto` by URL',
    content: { method: 'sendPhoto', params: photo },
    expected: { state: 'review', evidence: /^HTTP 500, application\/json, /, decision: 'not_sent' },
  },
  {
    key: 'refused',
    what: '`deleteMessage` of a message that is not there',
    content: { method: 'deleteMessage', params: { chat_id: 1001, message_id: 999_999 } },
    expected: {
      state: 'rejected',
      description: "Bad Request: chat 1001 with message 999999 wasn't found",
    },
  },
  {
    key: 'edit',
    what: '`editMessageText` of the first message',
    content: (messageId) => ({
      method: 'editMessageText',
      params: { chat_id: 1001, message_id: messageId, text: 'Your parcel has arrived.' },
    }),
    expected: { state: 'review', evidence: /ok, but without the result of the method/, decision: 'sent' },
  },
];

const differences: readonly Difference[] = [
  { words: 'It takes any token and any chat.', holds: (record) => record(strangerKey).state === 'sent' },
  {
    words: 'Its dates are in milliseconds; the service gives seconds.',
    holds: (record) => (record(firstKey).message?.date ?? 0) > 1e11,
  },
  {
    words: 'It refuses with HTTP 200. The body decides, so the reply is `rejected` all the same.',
    holds: (record) => record('refused').attempts[0]?.httpStatus === 200,
  },
  {
    words:
      'It does not have `sendPhoto`. It answers HTTP 500 with `{"message": …}` and no `ok`, from which nobody can know: ' +
      '`unknown`, for a person. (The service answers 404 to a method that it does not have.)',
    holds: (record) => record('photo').attempts[0]?.httpStatus === 500,
  },
  {
    words:
      'It carries out an edit and answers `"result": null`, where the service gives the message. An `ok` without the ' +
      'result of the method is no proof: `unknown`, for a person.',
    holds: (record) => record('edit').attempts[0]?.outcome === 'unknown',
  },
];

/** npm's telegram-test-api, in a process of its own. */
export async function startTelegramTestApi(): Promise<ForeignServer> {
  const folder = await installFromNpm(name);
  const port = await freePort();
  const apiRoot = `http://127.0.0.1:${port}`;
  const command = [process.execPath, sourceFile(name, 'serve.mjs'), folder, String(port)] as const;
  const { stop } = await startForeignProcess(name, command, { url: apiRoot, cwd: folder });
  return {
    name,
    registry: 'npm',
    version: pinnedVersion(/"telegram-test-api": "([^"]+)"/, name, 'package.json'),
    how: 'As it is.',
    apiRoot,
    received: async (tokens) => (await Promise.all(tokens.map((token) => history(apiRoot, token)))).flat(),
    stop,
    cases,
    differences,
  };
}

interface History {
  readonly result: readonly { readonly message: Readonly<Record<string, unknown>> }[];
}

/** It keeps the parameters of messages alone; those of an edit take the place of the message's. */
async function history(apiRoot: string, token: string): Promise<readonly Received[]> {
  const { result } = (await askServer(`${apiRoot}/getUpdatesHistory`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })) as History;
  return result.map(({ message }) => {
    const method = 'message_id' in message ? 'editMessageText' : 'sendMessage';
    return { content: { method, params: message }, token };
  });
}
