/** What a reply workflow knows, and every way in which that may change. Pure: time and chance are arguments. */
export {
  type Phase,
  type Reply,
  applyBudgets,
  beginRun,
  leavesPlace,
  newReply,
  requestCancel,
  waitsForOpening,
  wakeReply,
} from './state.ts';
export { type Gate, passGate } from './gate.ts';
export { noteFinding } from './finding.ts';
export { noteLoss } from './loss.ts';
export { askAboutReset, deniesAfterReset, mayBeRestart } from './reset.ts';
export {
  isContradicted,
  lateProofProblem,
  noteLateProof,
  proofRefusal,
  stopByLateProof,
} from './late-proof.ts';
export { type AuditEntry, auditEntry } from './audit.ts';
export { applyDecision, decisionRefusal, expiryRefusal, finalRefusal } from './decision.ts';
export { replyDetails } from './details.ts';
export { replyRecord, replyStateOf } from './show.ts';
