/** Waits for a condition, looking again every 25 ms; past the bound it throws an error that says what was awaited. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  options: { readonly withinMs: number; readonly what: () => string },
): Promise<void> {
  const endMs = performance.now() + options.withinMs;
  for (;;) {
    if (await condition()) return;
    if (performance.now() > endMs) throw new Error(`not within ${options.withinMs} ms: ${options.what()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
