import type { Contract } from './contract.ts';
import { classifyAnswer } from './telegram/classify.ts';
import { contentProblems } from './telegram/content.ts';
import { destinationOf, readdressed } from './telegram/destination.ts';

/** Telegram's Bot API: any method that changes something; `sendMessage` is checked in full before it is sent. */
export const telegram: Contract = {
  name: 'telegram',
  defaultApiRoot: 'https://api.telegram.org',
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
};
