/** For contracts whose secret names the bot by itself. */
export function withoutAccount(account: string | null): string | null {
  return account === null ? null : 'is for contracts with connected accounts only: leave it out';
}
