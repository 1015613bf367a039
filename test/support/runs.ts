/** How often a property is tried: as often as said, times `PROPERTY_SCALE`. */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env['PROPERTY_SCALE'] ?? 1));
}
