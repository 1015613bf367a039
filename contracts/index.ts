import type { Contract } from './contract.ts';
import { qivuna } from './qivuna.ts';
import { telegram } from './telegram.ts';
import { unifyport } from './unifyport.ts';

export type {
  Content,
  ContentProblem,
  Contract,
  Destination,
  Protection,
  RequestOptions,
  ServiceAnswer,
  ServiceRequest,
  TextForm,
} from './contract.ts';

const contracts: ReadonlyMap<string, Contract> = new Map(
  [telegram, qivuna, unifyport].map((contract) => [contract.name, contract]),
);

/** Names that a bot's `contract` setting may have. */
export const contractNames: readonly string[] = [...contracts.keys()];

/** The rules of a service by its name, or undefined where there is no such contract. */
export function contractOf(name: string): Contract | undefined {
  return contracts.get(name);
}

/**
 * Why a text cannot be a token of the contract's service, in words that do not repeat it; null where it can. Only its
 * characters are judged: whether the service knows the token is the service's to say.
 */
export function tokenProblem(contractName: string, token: string): string | null {
  if (token === '') return 'it is empty: put the token there, and nothing else';
  if (!/^[\x21-\x7e]+$/.test(token))
    return 'it has a space, a line break or another character that no token has: copy the token again, and nothing else';
  return contractOf(contractName)?.tokenProblem(token) ?? null;
}
