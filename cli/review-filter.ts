import type { ReviewFilter } from '../client/index.ts';

/** The filters as options give them. */
export interface FilterOptions extends Omit<ReviewFilter, 'olderThanMs'> {
  /** In milliseconds. */
  readonly olderThan?: number;
}

export function filterOf({ bot, kind, olderThan }: FilterOptions): ReviewFilter {
  return {
    ...(bot === undefined ? {} : { bot }),
    ...(kind === undefined ? {} : { kind }),
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan }),
  };
}
