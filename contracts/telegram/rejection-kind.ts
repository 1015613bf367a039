import type { RejectionKind } from '../../domain/outcome.ts';

/**
 * Kind of a refusal. The code decides where it can; the wording only where one code stands for several kinds, and it
 * never makes a refusal into anything else.
 */
export function rejectionKind(code: number, description: string): RejectionKind {
  const words = description.toLowerCase().trim();
  switch (code) {
    case 401:
    case 421:
      return 'auth';
    case 403:
      return 'permission';
    case 404:
      // The service knows no bot by this token. A method it does not know is named as such.
      if (words === '' || words === 'not found') return 'auth';
      return kindByWording(words) ?? 'other';
    case 400:
      return kindByWording(words) ?? (words.startsWith('bad request') ? 'request' : 'other');
    case 413:
    case 414:
      return 'request';
    default:
      return 'other';
  }
}

/**
 * First match wins. Parsing errors stand first, since they quote the text of the message, which may hold any words.
 * Anchored where the service's sentence begins.
 */
const wordings: readonly (readonly [RejectionKind, RegExp])[] = [
  ['request', /^(bad request: )?can't parse\b/],
  ['auth', /^(bad request: )?logged out\b/],
  [
    'request',
    /method not found|message (?!thread )[a-z ]*not found|reply_message_id_invalid|msg_id_invalid|message_id_invalid/,
  ],
  [
    'permission',
    /\brights\b|\badministrator\b|\bpermission|\bblocked\b|\bkicked\b|\bbanned\b|\brestricted\b|\bforbidden\b/,
  ],
  [
    'permission',
    /not a (member|participant)|no write access|can't (send messages to|initiate)|not allowed to|privacy/,
  ],
  [
    'permission',
    /_(forbidden|restricted|blocked|disabled|banned|private|closed|not_allowed)\b|user_banned_in|(admin|payment|premium_account)_required/,
  ],
  [
    'destination',
    /\b(chat|user|channel|group|member|thread|topic|connection|peer|recipient)( id)? (was |is )?(not found|deleted|deactivated|invalid|inaccessible)/,
  ],
  [
    'destination',
    /group chat was (upgraded|deleted|deactivated)|supergroup chat was|chat_id\b|user_id\b|(chat|topic|thread) identifier/,
  ],
  [
    'destination',
    /\b(peer|chat|channel|user|input_user|topic|thread|forum|username|business_(peer|connection))(_id)?_(invalid|deleted|deactivated|not_occupied|usage_missing)/,
  ],
];

function kindByWording(words: string): RejectionKind | null {
  return wordings.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}
