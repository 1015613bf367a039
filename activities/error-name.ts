/** Name and code of an error; its message may hold what must not be logged. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, details } = error as Error & { code?: unknown; details?: unknown };
  return [error.name, code, details].filter((part) => part !== undefined && part !== '').join(' ');
}
