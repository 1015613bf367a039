import { printable } from '../../contracts/text.ts';
import { assertNever } from '../../domain/outcome.ts';
import { ReplyInputError, TemporalUnreachableError } from '../../client/errors.ts';
import type { ReplyHandle, SendProgress, SendReport } from '../../client/index.ts';
import { mapAsDone } from '../../client/concurrency.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { BatchProgress } from '../progress.ts';
import { type FileLine, checkedLines, readRepliesText } from '../replies-file.ts';
import { replyText } from '../reply-text.ts';
import { type Cli, configIfAny, contractsOf, requireBots, withReplies } from '../session.ts';
import { handleDocument, waitedCode } from './send.ts';

const waitsAtOnce = 50;

/** Sends every line of a file. Nothing is sent unless every line is right; sent again, it sends nothing twice. */
export async function sendFile(
  cli: Cli,
  path: string,
  options: { readonly wait: boolean; readonly timeoutMs: number | undefined },
): Promise<ExitCode> {
  const config = configIfAny(cli.env);
  const lines = checkedLines(await readRepliesText(path), contractsOf(config));
  return withReplies(cli, config, async (replies) => {
    await requireBots(
      replies,
      config,
      lines.map(({ request }) => request.bot),
    );
    const handles: ReplyHandle[] = [];
    let code: ExitCode = exitCode.done;
    let last: SendProgress = { accepted: 0, deduplicated: 0, conflict: 0, invalid: 0, failed: 0, done: 0 };
    const progress = new BatchProgress(lines.length);
    const onProgress = (now: SendProgress): void => {
      last = now;
      progress.update(now);
    };
    const requests = lines.map(({ request }) => request);
    for await (const report of replies.sendAll(requests, { onProgress })) {
      code = worse(code, reportCode(report));
      tell(cli, report, lines[report.index], options.wait);
      if (report.kind === 'accepted' || report.kind === 'deduplicated') handles.push(report.handle);
    }
    progress.end(last);
    if (!options.wait) return code;
    const { timeoutMs } = options;
    for await (const record of mapAsDone(handles, waitsAtOnce, (handle) =>
      handle.result(timeoutMs === undefined ? {} : { timeoutMs }),
    )) {
      cli.output.answer(record, () => replyText(record));
      code = worse(code, waitedCode(record));
    }
    return code;
  });
}

/** Answers with what was handed over; what was not is told on stderr by its line. */
function tell(cli: Cli, report: SendReport, fileLine: FileLine | undefined, wait: boolean): void {
  const line = fileLine?.line ?? report.index + 1;
  switch (report.kind) {
    case 'accepted':
    case 'deduplicated': {
      const { handle } = report;
      if (!wait)
        cli.output.answer({ line, ...handleDocument(handle) }, () => `${handle.id}  ${handle.state}`);
      return;
    }
    case 'conflict':
      return cli.output.note(`line ${line}: ${report.error.message}`);
    case 'invalid':
      return cli.output.note(`line ${line}: ${new ReplyInputError('not sent', report.problems).message}`);
    case 'failed': {
      const why = report.error instanceof Error ? report.error.message : String(report.error);
      return cli.output.note(`line ${line}: not handed over: ${printable(why, 500)}`);
    }
    default:
      return assertNever(report);
  }
}

function reportCode(report: SendReport): ExitCode {
  switch (report.kind) {
    case 'accepted':
    case 'deduplicated':
      return exitCode.done;
    case 'conflict':
      return exitCode.refused;
    case 'invalid':
      return exitCode.badInput;
    case 'failed':
      return report.error instanceof TemporalUnreachableError ? exitCode.unreachable : exitCode.failed;
    default:
      return assertNever(report);
  }
}

/** What matters most to a script: that Temporal was away, then failures, refusals, and last a review. */
const gravity: Readonly<Record<ExitCode, number>> = { 0: 0, 6: 1, 3: 2, 4: 3, 2: 4, 1: 5, 5: 6 };

function worse(a: ExitCode, b: ExitCode): ExitCode {
  return gravity[b] > gravity[a] ? b : a;
}
