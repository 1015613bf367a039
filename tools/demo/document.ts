import type { Finding } from './checks.ts';
import type { Evidence } from './evidence.ts';
import type { Decided } from './staged.ts';

/** What the demo found, as `--json` prints it. */
export interface DemoDocument {
  readonly ok: boolean;
  /** Titles of the checks that do not hold. */
  readonly failed: readonly string[];
  readonly elapsedSeconds: number;
  readonly temporalAddress: string;
  readonly webUi: string;
  /** How many replies ended so, before a person decided. */
  readonly endings: Readonly<Record<string, number>>;
  readonly checks: readonly Finding[];
  /** The same rules for the naive sender, under the same conditions. */
  readonly control: readonly Finding[];
  readonly decided: readonly Decided[];
}

export function documentOf(found: {
  readonly elapsedMs: number;
  readonly server: { readonly address: string; readonly webUi: string };
  readonly endings: Evidence['endings'];
  readonly checks: readonly Finding[];
  readonly control: readonly Finding[];
  readonly decided: readonly Decided[];
}): DemoDocument {
  const endings: Record<string, number> = {};
  for (const ending of found.endings.values()) endings[ending] = (endings[ending] ?? 0) + 1;
  const failed = found.checks.filter(({ ok }) => !ok).map(({ title }) => title);
  return {
    ok: failed.length === 0,
    failed,
    elapsedSeconds: Math.round(found.elapsedMs / 100) / 10,
    temporalAddress: found.server.address,
    webUi: found.server.webUi,
    endings,
    checks: found.checks,
    control: found.control,
    decided: found.decided,
  };
}

/** One line for each finding; `bad` is the word for one that does not hold. */
export function findingLines(findings: readonly Finding[], bad: string): readonly string[] {
  return findings.map(
    ({ ok, title, figure }) => `  ${(ok ? 'ok' : bad).padEnd(bad.length)}  ${title}: ${figure}`,
  );
}

/** The last line. */
export function verdictLine({ ok, failed, checks, elapsedSeconds }: DemoDocument): string {
  return ok
    ? `All ${checks.length} checks hold (${elapsedSeconds} s).`
    : `FAILED, ${failed.length} of ${checks.length} checks: ${failed.join(', ')} (${elapsedSeconds} s).`;
}
