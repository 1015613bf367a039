import { html } from 'hono/html';
import type { AttemptRecord, DecisionRecord, ReplyRecord } from '../../domain/record.ts';
import type { ReplyInput } from '../../domain/reply-input.ts';
import { isContradicted } from '../../domain/reply/late-proof.ts';
import type { ReadReply } from '../read-reply.ts';
import { type Html, instant, replyQuery, shown } from './document.ts';

/** All that is known of a reply but its content (invariant 8). */
export function evidence({ reply, source }: ReadReply): Html {
  return html`${source === 'store' ? fromStore : ''} ${contradiction(reply)}
    <dl>${facts(reply)}</dl>
    <h2>Attempts</h2>
    ${attempts(reply.attempts)}`;
}

/** Text and destination, or the link that asks for them. */
export function contentPart(id: string, input: ReplyInput | undefined, isAsked: boolean): Html {
  if (!isAsked)
    return html`<p><a href="${replyQuery(id, { content: 'show' })}">Show text and destination</a></p>`;
  return html`<h2>Text and destination</h2>
    ${
      input === undefined
        ? html`<p>They are not there any more.</p>`
        : html`<pre tabindex="0" aria-label="Text and destination">
${visible(JSON.stringify(input.content, null, 2))}</pre>`
    }`;
}

/** JSON in which nothing turns the direction of the text around it: that would show other words than were sent. */
function visible(json: string): string {
  return json.replace(
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const fromStore = html`<p class="note">
  No worker answers: this is what was saved last. The latest attempts may be missing.
</p>`;

function contradiction({ decision, lateProof }: ReplyRecord): Html {
  if (!decision || !lateProof || !isContradicted(decision, lateProof)) return html``;
  return html`<p class="note">
    <strong>Contradicted:</strong> the decision “${decision.decision}” is not what happened.
  </p>`;
}

function facts(reply: ReplyRecord): Html {
  const { state, bot, waiting, review, rejection, message, decision, lateProof } = reply;
  return html`${fact('State', state)} ${fact('Bot', bot)}
  ${waiting && fact('Waits for', html`${waiting.why}, not before ${instant(waiting.notBefore)}`)}
  ${
    review &&
    html`${fact('Kind of doubt', review.kind)} ${fact('Attempt under review', String(review.attempt))}
    ${fact('Under review since', instant(review.since))} ${fact('Evidence', shown(review.evidence))}`
  }
  ${rejection && fact('The service says', shown(rejection.description))}
  ${message && fact('Message id', shown(String(message.message_id ?? 'not given')))}
  ${
    lateProof &&
    fact(
      'Late proof',
      html`attempt ${lateProof.attempt} was <strong>${lateProof.outcome} after all</strong>, as a worker told
        at
        ${instant(lateProof.at)}${lateProof.messageId === null ? '' : `, message id ${shown(String(lateProof.messageId))}`}`,
    )
  }
  ${decision && fact('Decision', decided(decision))}`;
}

function fact(name: string, value: string | Html): Html {
  return html`<dt>${name}</dt>
    <dd>${value}</dd>`;
}

function decided({ decision, attempt, by, reason, at, door, via }: DecisionRecord): Html {
  // What an older version has recorded lacks the door.
  const through = [door, via].filter(Boolean).map(String).map(shown).join(', ');
  return html`${decision} on attempt ${attempt} by ${shown(by)}${through && ` (${through})`} at
  ${instant(at)}: ${shown(reason)}`;
}

function attempts(all: readonly AttemptRecord[]): Html {
  if (all.length === 0) return html`<p>None is known.</p>`;
  return html`<div class="wide" role="region" aria-label="Attempts" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Attempt</th>
          <th scope="col">Outcome</th>
          <th scope="col">At</th>
          <th scope="col">How far it got</th>
          <th scope="col">HTTP</th>
          <th scope="col">Worker</th>
          <th scope="col">The service’s account</th>
        </tr>
      </thead>
      <tbody>
        ${all.map(attemptRow)}
      </tbody>
    </table>
  </div>`;
}

function attemptRow({ attempt, outcome, at, progress, httpStatus, worker, error }: AttemptRecord): Html {
  return html`<tr>
    <th scope="row">${attempt}</th>
    <td>${outcome}</td>
    <td>${instant(at)}</td>
    <td>${progress.replace('_', ' ')}</td>
    <td>${httpStatus ?? '–'}</td>
    <td>${worker ? shown(worker) : '–'}</td>
    <td>
      ${error ? shown(`${error.code}: ${error.message}${error.requestId === null ? '' : `, request ${error.requestId}`}`) : '–'}
    </td>
  </tr>`;
}
