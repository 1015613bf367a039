import type { Contract } from './contract.ts';
import { accountProblem } from './unifyport/account.ts';
import { classifyAnswer, serviceErrorOf } from './unifyport/classify.ts';
import { contentProblems } from './unifyport/content.ts';
import { destinationOf, recipientOf } from './unifyport/recipient.ts';

const textFields: Readonly<Record<string, string>> = {
  'params.to': 'chat',
  'params.to.id': 'chat',
  'params.to.type': 'chat',
  'params.message': 'text',
  'params.message.text': 'text',
};

/**
 * UnifyPort: text messages of connected accounts of several providers. It has no idempotency key, and gives no delay: what
 * its answers leave uncertain is `unknown`, and nothing of it is sent again by the program.
 */
export const unifyport: Contract = {
  name: 'unifyport',
  defaultApiRoot: 'https://api.unifyport.ai',
  protection: null,
  text: {
    content: (to, text) => ({
      method: 'sendMessage',
      params: {
        ...(to === undefined ? {} : { to: recipientOf(to) }),
        message: { type: 'text', ...(text === undefined ? {} : { text }) },
      },
    }),
    fieldName: (field) => (Object.hasOwn(textFields, field) ? (textFields[field] ?? field) : field),
  },
  // The form of keys is not published, and a header takes every text that passes as a token at all.
  tokenProblem: () => null,
  accountProblem,
  check: contentProblems,
  destination: destinationOf,
  // Nothing migrates, and an id has one spelling.
  readdress: (content) => content,
  request: (content, { apiRoot, token, account, trace }) => ({
    url: `${apiRoot.replace(/\/+$/, '')}/v1/messages`,
    headers: { 'x-api-key': token, 'content-type': 'application/json', 'x-request-id': trace },
    // Last, so that content which was never checked cannot name another account.
    body: JSON.stringify({ ...content.params, account_id: account }),
  }),
  classify: classifyAnswer,
  serviceError: serviceErrorOf,
};
