import type { Payload, PayloadCodec } from '@temporalio/common';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { PayloadKeyError } from '../../client/codec/payload-keys.ts';
import { type Refusal, refusal, refused } from '../serve/answers.ts';
import { bearerGuard } from '../serve/bearer.ts';
import { readWholeBody } from '../serve/whole-body.ts';

export interface CodecAppParts {
  readonly codec: PayloadCodec;
  /** Origin of the Web UI, the one page whose scripts may read what is decoded. */
  readonly origin: string;
  /** Gives the token as it is now (undefined: it cannot be read at present); without it, none is asked for. */
  readonly token?: () => string | undefined;
}

/** A page of a history, with room to spare: Temporal takes 2 MB for one payload. */
const limits = { maxBytes: 32 * 1024 * 1024, timeoutMs: 10_000 };

const base64 = z.base64();
const payloads = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), base64).nullish(), data: base64.nullish() })),
});

/**
 * `POST /decode` as the Web UI asks it of a codec server: payloads in JSON, decrypted; those that are not encrypted as
 * they came. Never encodes.
 */
export function createCodecApp({ codec, origin, token }: CodecAppParts): Hono {
  const app = new Hono();
  app.notFound(() => refused(refusal(404, 'path', 'there is nothing here but POST /decode')));
  app.onError(() => refused(refusal(500, 'body', 'failed on the server: repeat it')));
  app.get('/healthz', () => Response.json({ ok: true }));
  app.use('/decode', async ({ req }, next) => {
    // A page of another origin cannot read the answer; it shall not make us decode either.
    const from = req.header('origin');
    if (from === undefined || from === origin) return next();
    return refused(refusal(403, 'Origin', 'is not the one of --origin'));
  });
  const allowHeaders = ['Content-Type', 'Authorization', 'X-Namespace', 'Authorization-Extras'];
  app.use('/decode', cors({ origin, allowMethods: ['POST'], allowHeaders, credentials: true }));
  if (token) app.use('/decode', bearerGuard(token));
  app.post('/decode', async ({ req }) => {
    const read = await readPayloads(req.raw);
    if (read.kind === 'refused') return refused(read.refusal);
    try {
      const decoded = await codec.decode([...read.payloads]);
      return Response.json({ payloads: decoded.map(inJson) }, { headers: { 'cache-control': 'no-store' } });
    } catch (error) {
      if (!(error instanceof PayloadKeyError)) throw error;
      return refused(refusal(422, 'payloads', error.message));
    }
  });
  app.all('/decode', () => refused(refusal(405, 'method', 'decode by POST'), { allow: 'POST' }));
  return app;
}

type PayloadsReading =
  | { readonly kind: 'payloads'; readonly payloads: readonly Payload[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

async function readPayloads(request: Request): Promise<PayloadsReading> {
  const body = await readWholeBody(request, limits);
  if (body.kind === 'refused') return body;
  const parsed = payloads.safeParse(jsonOf(body.bytes));
  if (parsed.success) return { kind: 'payloads', payloads: parsed.data.payloads.map(fromJson) };
  const words = 'must be {"payloads": [{ "metadata", "data" }]}, bytes in base 64';
  return { kind: 'refused', refusal: refusal(400, 'body', words) };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function fromJson({ metadata, data }: z.output<typeof payloads>['payloads'][number]): Payload {
  const fields = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(fields.map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: Buffer.from(data ?? '', 'base64'),
  };
}

function inJson({ metadata, data }: Payload): object {
  const fields = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(fields.map(([name, value]) => [name, base64Of(value)])),
    data: base64Of(data),
  };
}

function base64Of(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}
