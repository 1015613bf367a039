/** What keeps a token out of a request's path, in words that do not repeat it; null where nothing does. */
export function telegramTokenProblem(token: string): string | null {
  if (/^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/.test(token)) return null;
  return 'it has a character that cannot stand in a URL (such as a space, a line break or "/"): copy the token again, and nothing else';
}
