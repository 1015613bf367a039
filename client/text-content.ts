import type { Content, Contract } from '../contracts/index.ts';

/**
 * The content that says `text` to `to`. Every spelling of one chat gives the same content, so that "123" from a command
 * line and 123 from a file are one intention (invariant 1).
 */
export function textContent(contract: Contract, to: unknown, text: unknown): Content {
  const content = contract.text.content(to, text);
  if (contract.check(content).length > 0) return content;
  return contract.readdress(content, contract.destination(content).chat);
}

/** Bucket of a chat as the lane knows it, or undefined where it is no chat of the service. */
export function chatBucket(contract: Contract, to: unknown): string | undefined {
  const content = contract.text.content(to, 'x');
  return contract.check(content).length > 0 ? undefined : contract.destination(content).chat;
}
