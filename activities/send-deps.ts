import type { BotConfig } from '../config/bot-config.ts';
import type { TokenReading } from '../config/secrets.ts';
import type { BotRoom } from './bot-room.ts';
import type { ClaimBatch } from './claim-batch.ts';
import type { Observe } from './observe.ts';
import type { ReplyMessages } from './reply-messages.ts';
import type { Transport } from './transport.ts';

/** What the activity needs of its worker process. Time and chance come from the process: this is the shell. */
export interface SendDeps {
  readonly worker: string;
  readonly attributes: boolean;
  readonly bots: ReadonlyMap<string, BotConfig>;
  readonly token: (bot: BotConfig) => TokenReading;
  readonly transport: Transport;
  readonly replies: ReplyMessages;
  /** Takes sentences about trouble; they hold no secret and no content. Of the same, one a minute. */
  readonly log: (problem: string) => void;
  /** Hears what this process sees happen. */
  readonly observe?: Observe;
  readonly batchOf: (bot: BotConfig) => ClaimBatch;
  readonly roomOf: (bot: string) => BotRoom;
}
