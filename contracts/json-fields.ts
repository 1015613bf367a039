/** Fields of JSON that comes from elsewhere. Total, whatever stands in it; of own fields only. */

export type Fields = Readonly<Record<string, unknown>>;

/** The body as an object, or null. A later duplicate of a field counts; `__proto__` is a field like any other. */
export function readBody(body: string): Fields | null {
  try {
    const value: unknown = JSON.parse(body.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The object in a field; without fields where there is none. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = own(fields, name);
  return isObject(value) ? value : {};
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
