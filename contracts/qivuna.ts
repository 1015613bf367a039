import type { Contract } from './contract.ts';
import { classifyAnswer, serviceErrorOf } from './qivuna/classify.ts';
import { contentProblems } from './qivuna/content.ts';
import { destinationOf, readdressed } from './qivuna/destination.ts';
import { requestOf } from './qivuna/request.ts';
import { qivunaTokenProblem } from './qivuna/token.ts';
import { withoutAccount } from './without-account.ts';

/**
 * Qivuna bots, from the service's page on idempotency keys: there is no other reference, so each point that is not on
 * that page is marked `Assumption:`. Any method that writes; `sendMessage` is checked before it is sent.
 */
export const qivuna: Contract = {
  name: 'qivuna',
  defaultApiRoot: 'https://bots.qivuna.com',
  // The service keeps an answer for an hour, and for the last 1,000 keys of the bot: a margin is off both.
  protection: { windowMs: 55 * 60_000, otherKeys: 900 },
  text: {
    content: (to, text) => ({
      method: 'sendMessage',
      params: { ...(to === undefined ? {} : { chat_id: to }), ...(text === undefined ? {} : { text }) },
    }),
    fieldName: (field) => (field === 'params.chat_id' ? 'chat' : field === 'params.text' ? 'text' : field),
  },
  tokenProblem: qivunaTokenProblem,
  accountProblem: withoutAccount,
  check: contentProblems,
  destination: destinationOf,
  readdress: readdressed,
  request: requestOf,
  classify: classifyAnswer,
  serviceError: serviceErrorOf,
};
