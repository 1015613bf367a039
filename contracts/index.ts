import type { Contract } from './contract.ts';
import { telegram } from './telegram.ts';

export type {
  Content,
  ContentProblem,
  Contract,
  Destination,
  ServiceAnswer,
  ServiceRequest,
} from './contract.ts';

const contracts: ReadonlyMap<string, Contract> = new Map(
  [telegram].map((contract) => [contract.name, contract]),
);

/** Names that a bot's `contract` setting may have. */
export const contractNames: readonly string[] = [...contracts.keys()];

/** The rules of a service by its name, or undefined where there is no such contract. */
export function contractOf(name: string): Contract | undefined {
  return contracts.get(name);
}
