import type { Outcome } from './judge.ts';
import type { Report } from './try-out.ts';

/** The text of `docs/compatibility.md`: what was seen, and nothing else. */
export function documentOf(
  reports: readonly Report[],
  run: { readonly date: string; readonly seconds: number },
): string {
  const names = reports.map(({ server }) => `${server.registry}'s \`${server.name}\` ${server.version}`);
  const problems = reports.flatMap((report) => report.problems);
  return `# Compatibility

Servers of Telegram's Bot API that this project did not write, and what they make of its replies. Written by

\`\`\`
npm run compatibility
\`\`\`

on ${run.date} (Node ${process.versions.node}, ${run.seconds} s): ${names.join(', ')}.

Each server runs in a process of its own on loopback, at the pinned version, installed into the cache beside the Temporal
server. A real worker process (\`dist/\`) and a real Temporal server send to it with all the default settings; only the
bots' \`apiRoot\` differs. Each reply is handed over twice under its key. Then the server is asked, by its own API, what it
has received: "once" is once and with every parameter exactly as it was given. A reply in \`review\` is one of which nobody can
know by the answer whether it was taken: it waits for a person. Here the program has looked, and decided.

${problems.length === 0 ? 'Every expectation was met.' : `**Not met:**\n\n${problems.map((problem) => `- ${problem}`).join('\n')}`}

${reports.map(section).join('\n')}
## What this does not show

Neither server has limits, floods (429), chats that move, or answers that get lost: those are put to the test against the
project's own fake service (\`test/support/fake-service/\`). Neither checks a chat or a token. The limits of texts and the errors
of entities are compared with Telegram's own parser (\`test/contracts/telegram-official-parser.test.ts\`).
`;
}

function section({ server, outcomes }: Report): string {
  return `## ${server.name} ${server.version} (${server.registry})

${server.how}

| what was sent | what the server has of it | state | the answer |
| --- | --- | --- | --- |
${outcomes.map(row).join('\n')}

What it does otherwise than the service:

${server.differences.map(({ words }) => `- ${words}`).join('\n')}
`;
}

function row({ of, times, settled, final }: Outcome): string {
  const has = times === 0 ? 'nothing' : times === 1 ? 'once' : `${times} times`;
  const state =
    settled.state === final.state ? settled.state : `${settled.state}; by decision ${final.state}`;
  const answer =
    settled.message !== null
      ? `message ${settled.message.message_id ?? 'without id'}`
      : (settled.rejection?.description ?? settled.review?.evidence ?? '');
  const cells = [of.what, has, state, answer].map((cell) => cell.replaceAll('|', '\\|'));
  return `| ${cells.join(' | ')} |`;
}
