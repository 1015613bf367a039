import type { InjectedSinks } from '@temporalio/worker';
import type { AuditSinks } from '../workflows/audit.ts';

/** The sinks of a worker of replies: each decision is one line of JSON in its log, for keeping longer than Temporal does. */
export function auditSinks(log: (line: string) => void): InjectedSinks<AuditSinks> {
  return {
    audit: { decision: { fn: (_, entry) => log(JSON.stringify(entry)), callDuringReplay: false } },
  };
}
