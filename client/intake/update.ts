/** An update as it came: an object of JSON, in which only what is asked for is looked at. */
export type Fields = Readonly<Record<string, unknown>>;

/** Deeper than any service nests, and far from where the app's own walks through it would overflow. */
const maxDepth = 100;

/** Reads an update. Undefined where the bytes are no object in JSON and UTF-8, or nested too deep. Never throws. */
export function readUpdate(bytes: Uint8Array): Fields | undefined {
  return parsed(bytes, (text) => text);
}

/** The same, but integers that JavaScript would round come as their digits, in a string. */
export function readExactUpdate(bytes: Uint8Array): Fields | undefined {
  return parsed(bytes, withExactIntegers);
}

/** A field of the update itself: nothing is inherited. */
export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function parsed(bytes: Uint8Array, prepare: (json: string) => string): Fields | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Once by itself: what follows relies on it being JSON.
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (isTooDeep(text)) return undefined;
    const prepared = prepare(text);
    return (prepared === text ? value : JSON.parse(prepared)) as Fields;
  } catch {
    return undefined;
  }
}

/** Counts brackets outside of strings. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') inString = !inString;
    else if (inString && sign === '\\') at += 1;
    else if (!inString && (sign === '{' || sign === '[')) depth += 1;
    else if (!inString && (sign === '}' || sign === ']')) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

const stringOrLongInteger = /"(?:[^"\\]+|\\.)*"|(?<![\w.+-])-?\d{16,}(?![\w.])/gs;

function withExactIntegers(json: string): string {
  return json.replace(stringOrLongInteger, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}
