import {
  type IntakeProblem,
  type ReplyRequest,
  type ReplySender,
  type UpdateName,
  telegramIntake,
} from '../../client/index.ts';
import { signatureOf } from '../../client/intake/signature.ts';

export const secret = 'the-secret_of-this-webhook';
export const telegramHeader = 'x-telegram-bot-api-secret-token';

/** What a test sees of an intake. */
export class Seen implements ReplySender {
  readonly sent: { readonly request: ReplyRequest; readonly key: string }[] = [];
  readonly problems: IntakeProblem[] = [];
  /** In place of an answer of the client. */
  failure: (() => Promise<never>) | undefined;

  /** The same bot and key again is found, as by Temporal. */
  async send(request: ReplyRequest, { key }: { readonly key: string }) {
    if (this.failure) return this.failure();
    const deduplicated = this.sent.some((one) => one.key === key && one.request.bot === request.bot);
    this.sent.push({ request, key });
    return { deduplicated };
  }

  /** What all intakes of the tests take: the reply names the update. */
  get options() {
    return {
      bot: 'support',
      replies: this as ReplySender,
      respond: (_: unknown, { id }: UpdateName): ReplyRequest => ({
        bot: 'support',
        chat: 1,
        text: `to ${id}`,
      }),
      onProblem: (problem: IntakeProblem) => void this.problems.push(problem),
    };
  }
}

type Body = NonNullable<ConstructorParameters<typeof Request>[1]>['body'];

export function delivery(
  body: Body,
  headers: Record<string, string> = { [telegramHeader]: secret },
): Request {
  return new Request('http://127.0.0.1/webhooks/support', {
    method: 'POST',
    headers,
    body: body ?? null,
    duplex: 'half',
  } as RequestInit);
}

/** A body that comes in pieces and says nothing of its length. */
export function streamed(pieces: number, bytesEach: number, onRead: () => void = () => {}): Body {
  let left = pieces;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      onRead();
      if (left-- > 0) controller.enqueue(new Uint8Array(bytesEach).fill(0x20));
      else controller.close();
    },
  }) as Body;
}

export const timestamp = '2026-06-08T12:34:56Z';

/** A delivery that UnifyPort could have signed. */
export function signed(
  body: string,
  { signingSecret = secret, ...headers }: Record<string, string> = {},
): Request {
  return delivery(body, {
    'x-device-timestamp': timestamp,
    'x-device-signature': signatureOf(signingSecret, { timestamp, body: Buffer.from(body) }),
    ...headers,
  });
}

/** The body of an update of Telegram. */
export const update = (id: unknown = 1044, rest: object = {}): string =>
  JSON.stringify({ update_id: id, ...rest });

/** Telegram's intake with what it tells. */
export function telegram(overrides: Partial<Parameters<typeof telegramIntake>[0]> = {}) {
  const seen = new Seen();
  const intake = telegramIntake({ secretToken: secret, ...seen.options, ...overrides } as Parameters<
    typeof telegramIntake
  >[0]);
  return { seen, intake };
}
