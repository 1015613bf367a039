import { type Connection, isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { attributeTypes } from '../workflows/names.ts';

const indexedValueTypes = { Keyword: 2, Datetime: 6 } as const;

/**
 * Makes sure that the namespace knows our search attributes; may be repeated. False where it does not and cannot be
 * told to (a server without visibility; Temporal Cloud, where only its console or Terraform can): replies then are sent
 * all the same, and only the list of workflows shows less.
 */
export async function ensureSearchAttributes(
  connection: Connection | NativeConnection,
  namespace: string,
  log: (line: string) => void,
): Promise<boolean> {
  const wanted = Object.entries(attributeTypes);
  const missing = async (): Promise<string[]> => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return wanted.map(([name]) => name).filter((name) => !(name in (customAttributes ?? {})));
  };
  try {
    const names = await missing();
    if (names.length === 0) return true;
    try {
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(
          wanted
            .filter(([name]) => names.includes(name))
            .map(([name, type]) => [name, indexedValueTypes[type]]),
        ),
      });
    } catch (error) {
      // Another worker may have been first.
      if (!(isGrpcServiceError(error) && error.code === 6)) throw error;
    }
    for (let tries = 0; tries < 20; tries++) {
      if ((await missing()).length === 0) return true;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    log(`the search attributes ${names.join(', ')} were created, but the server does not show them yet`);
    return false;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    log(
      `the search attributes ${Object.keys(attributeTypes).join(', ')} cannot be created (${why}): ` +
        'lists show no state of replies. On Temporal Cloud, create them in its console or by Terraform',
    );
    return false;
  }
}
