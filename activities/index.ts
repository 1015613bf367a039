import type { RevokeAnswer, RevokeRequest } from '../domain/lane/messages.ts';
import type { SendInput, SendResult } from '../domain/send.ts';

/** The activities that workflows call, by the names that stand in histories. */
export interface Activities {
  /** At most one request to the service. Never retried. */
  sendMessage(input: SendInput): Promise<SendResult>;
  /** Takes a lost attempt back at the lane. Asked again, it answers the same, so it may be retried. */
  revokeAttempt(input: RevokeRequest & { readonly bot: string }): Promise<RevokeAnswer>;
}
