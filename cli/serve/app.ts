import { Hono } from 'hono';
import type { Intake, ReplyClient, ReviewPage } from '../../client/index.ts';
import { handleDocument } from '../commands/send.ts';
import { refusal, refusalOf, refused } from './answers.ts';
import { bearerGuard } from './bearer.ts';
import { readReply } from './reply-body.ts';

export interface AppParts {
  readonly replies: Pick<ReplyClient, 'send' | 'status'>;
  readonly webhooks: ReadonlyMap<string, Intake>;
  /** Gives the API's token as it is now (undefined: it cannot be read at present); without it, the API is off. */
  readonly apiToken?: () => string | undefined;
  /** Without it there is none. */
  readonly review?: ReviewPage;
  /** Told of every failure that is not the caller's. */
  readonly onFailure: (error: unknown) => void;
}

export const reviewPath = '/review';

/** All routes, as one function from a Fetch-API request to its response. */
export function createApp({ replies, webhooks, apiToken, review, onFailure }: AppParts): Hono {
  const app = new Hono();
  app.notFound(() => refused(refusal(404, 'path', 'there is nothing here')));
  app.onError((error) => {
    const found = refusalOf(error);
    if (found.status >= 500) onFailure(error);
    return refused(found);
  });
  // The rest of a body that was not read to its end stands where the next request of the connection would.
  app.use(async (context, next) => {
    await next();
    const { status, headers } = context.res;
    if (status === 408 || status === 413) headers.set('connection', 'close');
  });
  app.get('/healthz', () => Response.json({ ok: true }));
  // Asked for at each delivery: which bots have a webhook may change.
  app.all('/webhooks/:bot', (context) => {
    const intake = webhooks.get(context.req.param('bot'));
    return intake ? intake(context.req.raw) : context.notFound();
  });
  if (review) app.all(reviewPath, ({ req }) => review(req.raw));
  if (apiToken) addReplies(app, replies, apiToken);
  return app;
}

function addReplies(app: Hono, replies: AppParts['replies'], apiToken: () => string | undefined): void {
  app.use('/v1/*', bearerGuard(apiToken));
  app.post('/v1/replies', async ({ req }) => {
    const body = await readReply(req.raw);
    if (body.kind === 'refused') return refused(body.refusal);
    const handle = await replies.send(body.request, { key: body.key });
    return Response.json(handleDocument(handle), { status: 202 });
  });
  app.get('/v1/replies/:bot/:key{.+}', async ({ req }) =>
    Response.json(await replies.status({ bot: req.param('bot'), key: req.param('key') })),
  );
  app.all('/v1/replies', () => refused(refusal(405, 'method', 'send a reply by POST'), { allow: 'POST' }));
  app.all('/v1/replies/:bot/:key{.+}', () =>
    refused(refusal(405, 'method', 'ask for a reply by GET'), { allow: 'GET' }),
  );
}
