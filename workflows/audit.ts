import { type Sinks, proxySinks } from '@temporalio/workflow';
import type { ReplyRecord } from '../domain/record.ts';
import { type AuditEntry, auditEntry } from '../domain/reply/index.ts';

/** What a worker of ours must take from its workflows (`auditSinks` in workers/): each decision once, and not in replay. */
export interface AuditSinks extends Sinks {
  readonly audit: { decision(entry: AuditEntry): void };
}

const { audit } = proxySinks<AuditSinks>();

/** Hands each new decision of one reply to its worker's log. Makes no command, so it may be told at any time. */
export class DecisionAudit {
  #told: string | undefined;

  note(record: ReplyRecord): void {
    const { decision } = record;
    if (!decision) return;
    const told = JSON.stringify(decision);
    if (told === this.#told) return;
    this.#told = told;
    audit.decision(auditEntry(record, decision));
  }
}
