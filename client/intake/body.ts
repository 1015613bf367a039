/** What reading a body came to. */
export type BodyReading =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** It broke off, or did not end in time. */
  | { readonly kind: 'unread' };

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Reads a body as the bytes that they are, and never more than the limit, whatever its headers say. Throws where somebody
 * else has read it: its bytes are gone, and with them what a signature could be checked on.
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<BodyReading> {
  if (request.bodyUsed) throw new TypeError('the body was read before: hand the request over untouched');
  if (Number(request.headers.get('content-length')) > limits.maxBytes) return { kind: 'too_large' };
  if (!request.body) return { kind: 'bytes', bytes: new Uint8Array() };
  const reader = request.body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<BodyReading>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'unread' }), limits.timeoutMs);
  });
  try {
    return await Promise.race([readAll(reader, limits.maxBytes), late]);
  } finally {
    clearTimeout(timer);
    // Not cancelled: a server may answer that by closing the connection, before the sender has read why.
    reader.releaseLock();
  }
}

interface ChunkReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** Never rejects: it may go on after its time is up. */
async function readAll(reader: ChunkReader, maxBytes: number): Promise<BodyReading> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { kind: 'bytes', bytes: Buffer.concat(chunks, size) };
      size += value?.byteLength ?? 0;
      if (size > maxBytes) return { kind: 'too_large' };
      if (value) chunks.push(value);
    }
  } catch {
    return { kind: 'unread' };
  }
}
