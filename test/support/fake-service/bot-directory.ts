import { FloodControl, type PenaltyRule, type Windows } from './flood-control.ts';

export interface BotRules {
  /** The bot's name in every record; the token stands in none. */
  readonly name: string;
  readonly windows?: Windows;
  readonly penalty?: PenaltyRule;
}

export interface FakeBot {
  readonly id: number;
  readonly name: string;
  readonly control: FloodControl;
}

/** The bots of a fake, by token or by name. */
export class BotDirectory {
  readonly #byToken = new Map<string, FakeBot>();
  readonly #byName = new Map<string, FakeBot>();

  constructor(bots: Readonly<Record<string, BotRules>>) {
    for (const [token, { name, windows = {}, penalty = {} }] of Object.entries(bots)) {
      if (this.#byName.has(name)) throw new Error(`two bots are named "${name}"`);
      const bot = { id: this.#byToken.size + 1, name, control: new FloodControl(windows, penalty) };
      this.#byToken.set(token, bot);
      this.#byName.set(name, bot);
    }
  }

  byToken(token: string): FakeBot | null {
    return this.#byToken.get(token) ?? null;
  }

  /** Throws for a bot that the fake was not given. */
  find(tokenOrName: string): FakeBot {
    const bot = this.#byToken.get(tokenOrName) ?? this.#byName.get(tokenOrName);
    if (bot === undefined)
      throw new Error(`the fake has no such bot; it has ${[...this.#byName.keys()].join(', ')}`);
    return bot;
  }
}
