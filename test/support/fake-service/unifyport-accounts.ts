export interface AccountRules {
  /** The account's name in every record; the key stands in none. */
  readonly name: string;
  /** Of the workspace: several accounts may have the same one. */
  readonly apiKey: string;
  /** `telegram` by default. Only WhatsApp takes `reply_to`. */
  readonly provider?: 'telegram' | 'whatsapp' | 'x' | 'line' | 'zalo';
}

export interface FakeAccount {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
}

/** The connected accounts of a fake, by id, by name, or by the key of their workspace. */
export class UnifyportAccounts {
  readonly #byId = new Map<string, FakeAccount>();
  readonly #byName = new Map<string, FakeAccount>();
  readonly #byKey = new Map<string, FakeAccount[]>();

  constructor(accounts: Readonly<Record<string, AccountRules>>) {
    for (const [id, { name, apiKey, provider = 'telegram' }] of Object.entries(accounts)) {
      if (this.#byName.has(name)) throw new Error(`two accounts are named "${name}"`);
      const account = { id, name, provider };
      this.#byId.set(id, account);
      this.#byName.set(name, account);
      this.#byKey.set(apiKey, [...(this.#byKey.get(apiKey) ?? []), account]);
    }
  }

  /** The accounts of the key's workspace; null for a key that no workspace has. */
  withKey(apiKey: string): readonly FakeAccount[] | null {
    return this.#byKey.get(apiKey) ?? null;
  }

  /** Throws for an account that the fake was not given. */
  find(idOrName: string): FakeAccount {
    const account = this.#byId.get(idOrName) ?? this.#byName.get(idOrName);
    if (account === undefined)
      throw new Error(`the fake has no such account; it has ${[...this.#byName.keys()].join(', ')}`);
    return account;
  }
}
