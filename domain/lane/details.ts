import { isoTime } from './show.ts';
import type { Lane } from './state.ts';

/** A lane in Markdown, for the Web UI's page of its workflow: whether it is open, and if not, why and what opens it. */
export function laneDetails({ bot, cooldown, stopped, paused }: Lane, nowMs: number): string {
  const lines: string[] = [];
  if (stopped)
    lines.push(
      `**Stopped** since ${isoTime(stopped.atMs)}: ${stopped.why}. \`replylane lane resume ${bot} --by NAME --reason WHY\` opens it.`,
    );
  if (paused)
    lines.push(
      `**Paused** since ${isoTime(paused.atMs)}. \`replylane lane resume ${bot} --by NAME --reason WHY\` opens it.`,
    );
  if (cooldown && cooldown.notBeforeMs > nowMs)
    lines.push(`**Closed until ${isoTime(cooldown.notBeforeMs)}**: ${cooldown.reason.replaceAll('_', ' ')}.`);
  if (lines.length === 0) lines.push('Open.');
  lines.push('The Query `cooldown` tells counts, policy and the operators’ acts.');
  return lines.join('\n\n');
}

/** What the details depend on: they are written only when it changes. */
export function laneDetailsKey({ cooldown, stopped, paused }: Lane, nowMs: number): string {
  const closedMs = cooldown && cooldown.notBeforeMs > nowMs ? cooldown.notBeforeMs : 0;
  return `${closedMs} ${stopped?.atMs ?? 0} ${paused?.atMs ?? 0}`;
}
