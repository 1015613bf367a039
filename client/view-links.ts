import { attributeNames, cooldownWorkflowType, replyWorkflowType } from '../workflows/names.ts';

/** A view of the Temporal Web UI's list of workflows. */
export interface ViewLink {
  readonly name: string;
  readonly query: string;
  readonly url: string;
}

/**
 * Links to the lists that an operator looks at. The Web UI keeps saved views in each browser: by these links they are shared.
 * What depends on the time is as of `nowMs`.
 */
export function viewLinks(webUi: string, namespace: string, nowMs: number): readonly ViewLink[] {
  const { state, since } = attributeNames;
  const at = (ms: number): string => new Date(ms).toISOString();
  const midnightMs = Math.floor(nowMs / 86_400_000) * 86_400_000;
  const views: readonly (readonly [string, string])[] = [
    ['Under review now', `${state}="review" AND ExecutionStatus="Running"`],
    [
      'Waiting for over an hour',
      `${state}="waiting" AND ExecutionStatus="Running" AND ${since}<"${at(nowMs - 3_600_000)}"`,
    ],
    ['Rejected today', `${state}="rejected" AND ${since}>="${at(midnightMs)}"`],
    [
      'Ended without a state',
      `WorkflowType="${replyWorkflowType}" AND ExecutionStatus IN ("Terminated", "Failed", "TimedOut")`,
    ],
    ['Lanes', `WorkflowType="${cooldownWorkflowType}" AND ExecutionStatus="Running"`],
  ];
  const root = `${webUi.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
  return views.map(([name, query]) => ({
    name,
    query,
    url: `${root}?query=${encodeURIComponent(query)}&savedQuery=${encodeURIComponent(name)}`,
  }));
}
