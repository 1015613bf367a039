import { cooldownWorkflowId } from '../domain/ids.ts';
import { laneTaskQueue } from './names.ts';

/** Options of a lane's start; its clock answers claims, so a task of it that is lost must be noticed soon (rule 15). */
export function laneStartOptions(bot: string): {
  workflowId: string;
  taskQueue: string;
  args: [{ bot: string }];
  workflowTaskTimeout: '2s';
  workflowIdReusePolicy: 'ALLOW_DUPLICATE';
  workflowIdConflictPolicy: 'USE_EXISTING';
  staticSummary: string;
} {
  return {
    workflowId: cooldownWorkflowId(bot),
    taskQueue: laneTaskQueue,
    args: [{ bot }],
    workflowTaskTimeout: '2s',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Cooldown and pacing of bot ${bot}`,
  };
}
