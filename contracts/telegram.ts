import type { Contract } from './contract.ts';
import { classifyAnswer } from './telegram/classify.ts';
import { contentProblems } from './telegram/content.ts';
import { destinationOf, readdressed } from './telegram/destination.ts';
import { telegramTokenProblem } from './telegram/token.ts';
import { withoutAccount } from './without-account.ts';

/** Telegram's Bot API: any method that changes something; `sendMessage` is checked in full before it is sent. */
export const telegram: Contract = {
  name: 'telegram',
  defaultApiRoot: 'https://api.telegram.org',
  protection: null,
  text: {
    content: (to, text) => ({
      method: 'sendMessage',
      params: { ...(to === undefined ? {} : { chat_id: to }), ...(text === undefined ? {} : { text }) },
    }),
    fieldName: (field) => ({ 'params.chat_id': 'chat', 'params.text': 'text' })[field] ?? field,
  },
  tokenProblem: telegramTokenProblem,
  accountProblem: withoutAccount,
  check: contentProblems,
  destination: destinationOf,
  readdress: readdressed,
  request: (content, { apiRoot, token }) => ({
    // The token is encoded, so that none can turn the request to another path; its colon stands as the service wants it.
    url: `${apiRoot.replace(/\/+$/, '')}/bot${encodeURIComponent(token).replaceAll('%3A', ':')}/${content.method}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(content.params),
  }),
  classify: classifyAnswer,
  // Its code and description stand in the rejection or the evidence.
  serviceError: () => null,
};
