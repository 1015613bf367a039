import { html } from 'hono/html';
import { botNameProblem } from '../../domain/ids.ts';
import type { ReplyRecord, ReviewKind } from '../../domain/record.ts';
import type { ReviewFilter } from '../reviews.ts';
import { type Html, type Page, instant, replyQuery, shown } from './document.ts';

/** More would be no list that a person reads; the filters, and decisions in bulk by the command line, are for those. */
const mostRows = 200;

const ages: readonly (readonly [value: string, words: string, ms: number])[] = [
  ['', 'any', 0],
  ['1h', 'over 1 hour', 3_600_000],
  ['1d', 'over 1 day', 86_400_000],
  ['7d', 'over 7 days', 604_800_000],
];

const kinds: readonly (readonly [value: '' | ReviewKind, words: string])[] = [
  ['', 'any'],
  ['unknown', 'unknown: it may have arrived'],
  ['held', 'held: refused in an unclear way'],
  ['budget', 'budget: attempts, floods or time used up'],
];

/** The filters of the list as a query gives them; what it cannot be is left out. */
export function filterOf(query: URLSearchParams): ReviewFilter {
  const bot = query.get('bot') ?? '';
  const kind = kinds.find(([value]) => value === query.get('kind'))?.[0];
  const olderThanMs = ages.find(([value]) => value === query.get('age'))?.[2] ?? 0;
  return {
    ...(botNameProblem(bot) === undefined ? { bot } : {}),
    ...(kind === undefined || kind === '' ? {} : { kind }),
    ...(olderThanMs > 0 ? { olderThanMs } : {}),
  };
}

/** Replies under review, the oldest first: no destination and no text. */
export function reviewList(reviews: readonly ReplyRecord[], filter: ReviewFilter, nowMs: number): Page {
  return { status: 200, title: 'Under review', body: html`${filters(filter)} ${table(reviews, nowMs)}` };
}

function filters({ bot = '', kind, olderThanMs = 0 }: ReviewFilter): Html {
  return html`<form method="get" class="filters" aria-label="Filter">
    <div>
      <label class="field" for="bot">Bot</label>
      <input type="text" id="bot" name="bot" value="${bot}" autocomplete="off" spellcheck="false" />
    </div>
    <div>
      <label class="field" for="kind">Kind of doubt</label>
      <select id="kind" name="kind">
        ${kinds.map(([value, words]) => option(value, words, value === (kind ?? '')))}
      </select>
    </div>
    <div>
      <label class="field" for="age">Age</label>
      <select id="age" name="age">
        ${ages.map(([value, words, ms]) => option(value, words, ms === olderThanMs))}
      </select>
    </div>
    <button>Show</button>
  </form>`;
}

function option(value: string, words: string, selected: boolean): Html {
  return html`<option value="${value}" ${selected ? 'selected' : ''}>${words}</option>`;
}

function table(reviews: readonly ReplyRecord[], nowMs: number): Html {
  if (reviews.length === 0) return html`<p>Nothing under review matches.</p>`;
  const rest = reviews.length - mostRows;
  return html`<p>
      ${reviews.length === 1 ? '1 reply' : `${reviews.length} replies`}, the oldest
      first${rest > 0 ? `; the first ${mostRows} are shown` : ''}.
    </p>
    <div class="wide" role="region" aria-label="Replies under review" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Reply</th>
            <th scope="col">Kind of doubt</th>
            <th scope="col">Proven since</th>
            <th scope="col">Attempt</th>
            <th scope="col">Since</th>
            <th scope="col">Age</th>
          </tr>
        </thead>
        <tbody>
          ${reviews.slice(0, mostRows).map((reply) => row(reply, nowMs))}
        </tbody>
      </table>
    </div>`;
}

function row({ id, review, lateProof }: ReplyRecord, nowMs: number): Html {
  return html`<tr>
    <th scope="row"><a href="${replyQuery(id)}">${shown(id)}</a></th>
    <td>${review?.kind ?? 'not known'}</td>
    <td>${lateProof ? `${lateProof.outcome} after all` : '–'}</td>
    <td>${review?.attempt ?? '–'}</td>
    <td>${review ? instant(review.since) : '–'}</td>
    <td>${review ? age(nowMs - Date.parse(review.since)) : '–'}</td>
  </tr>`;
}

function age(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
