/** Why a text cannot be a bot's `id:secret`, in words that do not repeat it; null where it can. */
export function qivunaTokenProblem(token: string): string | null {
  if (/^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/.test(token)) return null;
  return 'it is not of the form id:secret in printable ASCII without spaces: copy the token again, and nothing else';
}
