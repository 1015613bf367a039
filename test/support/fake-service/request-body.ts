/** What the fake reads in a request's body. Numbers keep their digits: JSON.parse would round them. */

export interface RequestBody {
  readonly params: Readonly<Record<string, unknown>>;
  /** Exact digits as in the raw body, or a lower-case `@name`; null without `chat_id`. */
  readonly chat: string | null;
  readonly text: string | null;
}

/** Null when the body is not a JSON object. An empty body is one without parameters. */
export function readRequestBody(body: string): RequestBody | null {
  if (body.trim() === '') return { params: {}, chat: null, text: null };
  let params: unknown;
  try {
    params = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return null;
  const record = params as Readonly<Record<string, unknown>>;
  const rawChat = rawMembers(body).get('chat_id');
  const text = record.text ?? record.caption;
  return {
    params: record,
    chat: rawChat === undefined || rawChat === 'null' ? null : chatOf(rawChat),
    text: typeof text === 'string' ? text : null,
  };
}

function chatOf(raw: string): string {
  return raw.startsWith('"') ? String(JSON.parse(raw)).trim().toLowerCase() : raw;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The top-level members of a valid JSON object, each value as its raw text. */
export function rawMembers(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let key: string | null = null;
  let valueAt: number | null = null;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']';
    if (depth === 1 && (token === ',' || isClosing) && key !== null && valueAt !== null) {
      members.set(key, json.slice(valueAt, index).trim());
      key = null;
      valueAt = null;
    } else if (depth === 1 && key === null && token.startsWith('"')) {
      key = String(JSON.parse(token));
    } else if (depth === 1 && token === ':' && valueAt === null) {
      valueAt = index + 1;
    }
    if (token === '{' || token === '[') depth += 1;
    if (isClosing) depth -= 1;
  }
  return members;
}
