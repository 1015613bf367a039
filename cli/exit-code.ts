import { CommanderError, InvalidArgumentError } from 'commander';
import { PayloadKeyError } from '../client/codec/payload-keys.ts';
import {
  BulkDecisionNotFoundError,
  ConnectionSettingsError,
  LaneNotFoundError,
  ReplyConflictError,
  ReplyInputError,
  ReplyNotFoundError,
  ReplyRefusedError,
  TemporalUnreachableError,
} from '../client/errors.ts';
import { ConfigError } from '../config/problem.ts';

/** What the command line's exit codes mean: scripts branch on them. */
export const exitCode = {
  done: 0,
  failed: 1,
  badInput: 2,
  notFound: 3,
  /** The same key with other content, or the state has changed. */
  refused: 4,
  unreachable: 5,
  /** Done, but somebody must look: under review. */
  review: 6,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Wrong use of a command that its options alone do not show. */
export class UsageError extends Error {}

const codes: readonly (readonly [new (...args: never[]) => Error, ExitCode])[] = [
  [UsageError, exitCode.badInput],
  [InvalidArgumentError, exitCode.badInput],
  [ReplyInputError, exitCode.badInput],
  [ConfigError, exitCode.badInput],
  [ConnectionSettingsError, exitCode.badInput],
  [PayloadKeyError, exitCode.badInput],
  [ReplyNotFoundError, exitCode.notFound],
  [BulkDecisionNotFoundError, exitCode.notFound],
  [LaneNotFoundError, exitCode.notFound],
  [ReplyConflictError, exitCode.refused],
  [ReplyRefusedError, exitCode.refused],
  [TemporalUnreachableError, exitCode.unreachable],
];

/** The exit code of an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.badInput;
  return codes.find(([type]) => error instanceof type)?.[1] ?? exitCode.failed;
}
