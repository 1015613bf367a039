import { request, type Agent } from 'node:http';

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  /** The body as JSON; empty when it is not JSON. */
  readonly body: ApiBody;
}

/** The fields that tests read; none is checked. */
export interface ApiBody {
  readonly ok?: boolean;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown };
  readonly result?: { readonly message_id?: number; readonly date?: number };
}

export interface ApiCall {
  readonly apiRoot: string;
  readonly token: string;
  readonly method: string;
  readonly body: string;
  /** A connection of its own by default. */
  readonly agent?: Agent;
  readonly timeoutMs?: number;
}

/** One plain call of a fake service, for its tests. Rejects when no complete answer comes. */
export function callApi({
  apiRoot,
  token,
  method,
  body,
  agent,
  timeoutMs = 5_000,
}: ApiCall): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(`${apiRoot}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      agent: agent ?? false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    call.once('error', reject);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          text,
          body: text.startsWith('{') ? JSON.parse(text) : null,
        });
      });
    });
    call.end(body);
  });
}
