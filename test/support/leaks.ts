/** What must stand in no place but those that may hold it, by its name. */
export type Secrets = Readonly<Record<string, string>>;

/** Something that was left behind, by where it was found. */
export type Places = ReadonlyMap<string, string>;

/** Each secret that stands in a place, as "secret in place": plain, escaped, percent-encoded, or inside base 64. */
export function leaksIn(places: Places, secrets: Secrets): readonly string[] {
  return [...places].flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
      .map(([name]) => `${name} in ${place}`),
  );
}

/** Texts that a secret looks like where it is a part of something larger. */
export function formsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const inBase64 = [secret, escaped].flatMap((text) => [0, 1, 2].map((shift) => base64Within(text, shift)));
  return [secret, escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(secret), ...inBase64];
}

/** The base 64 that a text has wherever `shift` bytes stand before it in its group of three. */
function base64Within(text: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  // Of the first group only the characters that hold no bit of what stands before.
  return whole.toString('base64').slice(shift === 0 ? 0 : shift + 1);
}
