import {
  ApplicationFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { claimBatch, noteReports } from '../domain/lane/batch.ts';
import { controlLane, controlProblem, whoProblem } from '../domain/lane/control.ts';
import { laneDetails, laneDetailsKey } from '../domain/lane/details.ts';
import { extendCooldown } from '../domain/lane/report.ts';
import { revokeAttempt } from '../domain/lane/revoke.ts';
import { showLane } from '../domain/lane/show.ts';
import { freezeLane, thawLane } from '../domain/lane/snapshot.ts';
import { newLane } from '../domain/lane/state.ts';
import { isTurnoverDue, longRuns, shortRuns } from '../domain/lane/turnover.ts';
import { cooldownWorkflowId } from '../domain/ids.ts';
import {
  type CooldownInput,
  claimUpdate,
  controlUpdate,
  cooldownQuery,
  extendCooldownSignal,
  reportSignal,
  revokeUpdate,
} from './protocol.ts';

/**
 * The lane of one bot: the one place that knows its cooldown, pacing, order and claims. Runs for ever, as one run after
 * the other; its clock is the scheduling clock of the bot.
 */
export async function cooldownWorkflow(input: CooldownInput): Promise<void> {
  const info = workflowInfo();
  if (info.workflowId !== cooldownWorkflowId(input.bot)) {
    throw ApplicationFailure.nonRetryable(
      `a lane for bot "${input.bot}" must have the Workflow Id ${cooldownWorkflowId(input.bot)}`,
      'WrongWorkflowId',
    );
  }
  const lane = input.snapshot
    ? thawLane(input.snapshot)
    : // A lane that this one follows has granted nothing since this one's start, whenever a worker came to take it up.
      newLane(input.bot, info.firstExecutionRunId, info.startTime.getTime());
  lane.hasCrowdRules = patched('lane-crowd-rules');
  const limits = patched('lane-short-runs') ? shortRuns : longRuns;
  let messages = 0;
  let shown = '';
  const show = (): void => {
    const key = laneDetailsKey(lane, Date.now());
    if (key === shown) return;
    shown = key;
    setCurrentDetails(laneDetails(lane, Date.now()));
  };
  show();

  // Saved messages are handed over as each handler registers: what closes the lane must come before what opens it, or a
  // claim overtakes a saved cooldown (rule 1).
  setHandler(
    reportSignal,
    (reports) => {
      messages++;
      noteReports(lane, reports, Date.now());
      show();
    },
    { description: 'For workers and replies: what became of claims, and who needs a place no longer.' },
  );
  setHandler(
    extendCooldownSignal,
    (request) => {
      messages++;
      if (request && whoProblem(request.by, request.reason) === undefined)
        extendCooldown(lane, request, Date.now());
      show();
    },
    { description: 'Keeps the lane closed for at least { seconds } from now; { by, reason } are required.' },
  );
  setHandler(cooldownQuery, () => showLane(lane, Date.now()), {
    description: 'The cooldown, stops, counts and policy of this lane.',
  });
  setHandler(
    controlUpdate,
    (request) => {
      messages++;
      controlLane(lane, request, Date.now());
      show();
      return showLane(lane, Date.now());
    },
    {
      validator: (request) => {
        const problem = controlProblem(request);
        if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'BadRequest');
      },
      description:
        'Pauses or resumes the lane, or opens it before its cooldown ends: { action, by, reason }.',
    },
  );
  setHandler(
    revokeUpdate,
    (request) => {
      messages++;
      return revokeAttempt(lane, request, Date.now());
    },
    { description: 'For workers: takes an attempt back whose worker was lost.' },
  );
  setHandler(
    claimUpdate,
    (request) => {
      messages++;
      const verdicts = claimBatch(lane, request, Date.now());
      show();
      return verdicts;
    },
    { description: 'For workers: asks whether attempts may go now.' },
  );

  // A cancellation request must not end a lane: its memory is what keeps replies from being sent twice (rule 5).
  await CancellationScope.nonCancellable(async () => {
    await condition(
      () => isTurnoverDue(lane, messages, Date.now(), limits) || workflowInfo().continueAsNewSuggested,
    );
    await condition(allHandlersFinished);
    await continueAsNew<typeof cooldownWorkflow>({ bot: input.bot, snapshot: freezeLane(lane, Date.now()) });
  });
}
