/** What is wrong with a token, in words that do not repeat it; null when it can stand in a URL. */
export function telegramTokenProblem(token: string): string | null {
  if (/^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/.test(token)) return null;
  return 'it is not of the form <digits>:<letters, digits, _ and ->: copy the whole token again, and nothing else';
}
