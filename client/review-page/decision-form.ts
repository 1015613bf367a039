import { html } from 'hono/html';
import { type DecisionRequest, decisionProblem } from '../../domain/decisions.ts';
import type { DecisionName, ReplyRecord } from '../../domain/record.ts';
import type { InputProblem } from '../../domain/reply-input.ts';
import { finalRefusal, proofRefusal } from '../../domain/reply/index.ts';
import { type Html, replyQuery, shown } from './document.ts';

const choices: Readonly<Record<DecisionName, string>> = {
  sent: 'It is in the chat: it counts as sent.',
  not_sent: 'It is not in the chat, and is not to be sent any more.',
  resend: 'Send it again. This may send it a second time.',
  cancel: 'Nothing more is to happen with it, whether it arrived or not.',
};
const names = Object.keys(choices) as readonly DecisionName[];

/** A form as it was filled in, to be shown again with what is wrong about it. */
export interface Draft {
  readonly values: URLSearchParams;
  readonly problems: readonly InputProblem[];
}

export const emptyDraft: Draft = { values: new URLSearchParams(), problems: [] };

export type DecisionReading =
  | { readonly kind: 'decision'; readonly request: DecisionRequest }
  | { readonly kind: 'problems'; readonly problems: readonly InputProblem[] };

/** Reads a filled-in form. Who decides is whom the app's authentication named: what the form says of that is not read. */
export function readDecision(values: URLSearchParams, attempt: number, by: string): DecisionReading {
  const decision = values.get('decision');
  const reason = (values.get('reason') ?? '').trim();
  const messageId = (values.get('messageId') ?? '').trim();
  const request = {
    attempt,
    decision: decision as DecisionName,
    by,
    reason,
    via: 'review page',
    ...(messageId === '' ? {} : { messageId: /^\d{1,16}$/.test(messageId) ? Number(messageId) : NaN }),
    ...(values.has('allowExpired') && decision === 'resend' ? { allowExpired: true } : {}),
  };
  const isChosen = (names as readonly (string | null)[]).includes(decision);
  const problems = [
    isChosen ? undefined : { field: 'decision', problem: 'choose one of the four' },
    reason === '' || reason.length > 1000
      ? { field: 'reason', problem: 'say why, in 1 to 1000 characters' }
      : undefined,
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) return { kind: 'problems', problems };
  const problem = decisionProblem(request);
  if (problem === undefined) return { kind: 'decision', request };
  const [, field = 'decision', words = problem] = /^([a-zA-Z]+): (.*)$/s.exec(problem) ?? [];
  return { kind: 'problems', problems: [{ field, problem: words }] };
}

/** The form by which a reply under review is decided, without the choices that would be refused anyway. */
export function decisionForm(reply: ReplyRecord, token: string, { values, problems }: Draft): Html {
  const { review, id } = reply;
  if (!review) return html``;
  const noResend = resendRefusal(reply);
  const problemOf = (field: string): string | undefined =>
    problems.find((problem) => problem.field === field)?.problem;
  const describedBy = (field: string): Html =>
    problemOf(field) === undefined
      ? html`aria-describedby="${field}-hint"`
      : html`aria-invalid="true" aria-describedby="${field}-hint ${field}-problem"`;
  const problemLine = (field: string): Html =>
    problemOf(field) === undefined
      ? html``
      : html`<p id="${field}-problem"><strong>Problem:</strong> ${problemOf(field)}</p>`;
  return html`<h2 id="decide">Decide</h2>
    ${problems.length > 0 ? summary(problems) : ''}
    <form method="post" action="${replyQuery(id)}" aria-labelledby="decide">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="attempt" value="${review.attempt}" />
      <fieldset ${problemOf('decision') === undefined ? '' : html`aria-describedby="decision-problem"`}>
        <legend>What is true of attempt ${review.attempt}?</legend>
        ${problemLine('decision')}
        ${names
          .filter((name) => name !== 'resend' || noResend === undefined)
          .map(
            (name) =>
              html`<label>
                <input
                  type="radio"
                  name="decision"
                  value="${name}"
                  id="decision-${name}"
                  required
                  ${values.get('decision') === name ? 'checked' : ''}
                />
                <strong>${name}</strong> – ${choices[name]}
              </label>`,
          )}
        ${
          noResend === undefined
            ? html`<label>
                <input type="checkbox" name="allowExpired" ${values.has('allowExpired') ? 'checked' : ''} />
                With resend: even though it has expired
              </label>`
            : html`<p>It cannot be sent again here: ${shown(noResend)}</p>`
        }
      </fieldset>
      <label class="field" for="messageId">Message id</label>
      <p id="messageId-hint">With sent, if you know it: the service’s number of the message.</p>
      ${problemLine('messageId')}
      <input
        type="text"
        id="messageId"
        name="messageId"
        inputmode="numeric"
        autocomplete="off"
        value="${values.get('messageId') ?? ''}"
        ${describedBy('messageId')}
      />
      <label class="field" for="reason">Why (required)</label>
      <p id="reason-hint">What you saw, and where. It is kept with your name.</p>
      ${problemLine('reason')}
      <textarea id="reason" name="reason" rows="3" maxlength="1000" required ${describedBy('reason')}>
${values.get('reason') ?? ''}</textarea>
      <p><button>Decide</button></p>
    </form>`;
}

/** Why a resend would be refused whatever else is known, or undefined. */
function resendRefusal(reply: ReplyRecord): string | undefined {
  const request: DecisionRequest = {
    attempt: reply.review?.attempt ?? 0,
    decision: 'resend',
    by: '',
    reason: '',
  };
  return proofRefusal(reply, request) ?? finalRefusal(reply.review ?? {}, request);
}

function summary(problems: readonly InputProblem[]): Html {
  const target = (field: string): string => (field === 'decision' ? 'decision-sent' : field);
  return html`<div class="note" role="alert" tabindex="-1" autofocus>
    <p>Nothing was decided:</p>
    <ul>
      ${problems.map(({ field, problem }) => html`<li><a href="#${target(field)}">${field}: ${problem}</a></li>`)}
    </ul>
  </div>`;
}
