const accountId = /^acc_[A-Za-z0-9_-]{1,120}$/;

/** Why this cannot be the bot's connected account, with what to do; null where it can. */
export function accountProblem(account: string | null): string | null {
  if (account === null) return 'has no accountId: add the id of the connected account, such as "acc_…"';
  if (accountId.test(account)) return null;
  return 'must be the id of a connected account, such as "acc_…": copy it as the service shows it';
}
