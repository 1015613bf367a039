/** The server the caller already has. Empty counts as unset, as shells and compose files write it. */
export function temporalAddressFromEnv(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env['TEMPORAL_ADDRESS']?.trim() || undefined;
}
