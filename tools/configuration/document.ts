import { z } from 'zod';
import { apiTokenVariable } from '../../cli/serve/secrets.ts';
import { configSchema } from '../../config/schema.ts';
import { defaultMetricsHost, logForms, workerVariables } from '../../workers/settings.ts';

/** What of a JSON schema the reference shows. */
interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly 'x-default'?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly additionalProperties?: Field | false;
  readonly required?: readonly string[];
}

/** The reference of the configuration, made of its schema. */
export function configurationDocument(): string {
  const file = z.toJSONSchema(configSchema, { io: 'input' }) as Field;
  const bot = within(file, 'bots').additionalProperties || undefined;
  if (!bot) throw new Error('the schema has no settings of a bot');
  const limits = within(bot, 'limits');
  return [
    opening,
    section('The file', file),
    section('A bot', bot),
    section('`limits`', limits),
    section('A window', within(limits, 'bot').items ?? {}),
    section('`reviewPolicy`', within(bot, 'reviewPolicy')),
    environment,
  ].join('\n\n');
}

function section(title: string, object: Field): string {
  const rows = Object.entries(object.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    typeWords(field),
    defaultWords(field, object.required?.includes(name) === true),
    boundsWords(field),
    field.description ?? '',
  ]);
  return `## ${title}\n\n${table(['setting', 'type', 'default', 'from – to', 'what it means'], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A field of an object, or of the object that it may be besides null. */
function within(object: Field, name: string): Field {
  const field = object.properties?.[name];
  if (!field) throw new Error(`the schema has no ${name}`);
  const inner = field.anyOf?.find(({ type }) => type === 'object');
  return inner ?? field;
}

function typeWords(field: Field): string {
  if (field.enum) return field.enum.map((word) => `\`${word}\``).join(', ');
  if (field.anyOf) return field.anyOf.map(typeWords).join(' or ');
  if (field.maxItems !== undefined) return `list of up to ${field.maxItems}`;
  const type = field.type ?? '';
  return words[type] ?? type;
}

const words: Readonly<Record<string, string>> = {
  integer: 'whole number',
  string: 'text',
  boolean: '`true` or `false`',
  null: '`null`',
};

function defaultWords(field: Field, isRequired: boolean): string {
  if (field['x-default'] !== undefined) return field['x-default'];
  if (isRequired) return 'must be given';
  return field.default === undefined ? 'none' : withTime(field.default);
}

function boundsWords(field: Field): string {
  const bounded = field.anyOf?.find(({ maximum }) => maximum !== undefined) ?? field;
  const { minimum, exclusiveMinimum, maximum } = bounded;
  if (maximum === undefined) return '';
  const from = minimum === undefined ? `above ${exclusiveMinimum}` : withTime(minimum);
  return `${from} – ${withTime(maximum)}`;
}

const dayMs = 86_400_000;

/** Days are hard to see in milliseconds. */
function withTime(value: unknown): string {
  if (typeof value !== 'number' || value < dayMs || value % dayMs !== 0)
    return `\`${JSON.stringify(value)}\``;
  const days = value / dayMs;
  return `\`${value}\` (${days === 1 ? '1 day' : `${days} days`})`;
}

const opening = `# Configuration

Made of the schema (\`config/schema.ts\`) by \`npm run docs:configuration\`: change it there.

\`replylane.config.json\` in the folder where a command runs, or the file that \`REPLYLANE_CONFIG\` names. \`npx replylane config check\`
tells all that is wrong with it at once; a setting that is not listed here is refused. Paths are relative to the file. Secrets stand in
files or environment variables, never in it. Names that end in \`Ms\` are in milliseconds. Where workers of one bot differ in
their limits, the strictest are in force.`;

const environment = `## Environment

| variable | what it means |
| --- | --- |
| \`REPLYLANE_CONFIG\` | path of the configuration |
| \`${workerVariables.metricsPort}\` | a worker serves \`/metrics\`, \`/healthz\` and \`/readyz\` on this port; 0: any that is free; not set: it serves none |
| \`${workerVariables.metricsHost}\` | address for that, \`${defaultMetricsHost}\` if not set; nothing there asks for a password |
| \`${workerVariables.log}\` | form of a worker's log: ${logForms.map((form) => `\`${form}\``).join(' or ')}; the first if not set |
| \`${workerVariables.deploymentName}\`, \`${workerVariables.buildId}\` | the version of a worker, both or neither ([upgrading.md](upgrading.md)); neither: it is of no version |
| \`${apiTokenVariable}\` | token of \`serve\`'s \`/v1\`, unless \`--api-token-file\` is given; neither: \`/v1\` is off |
| \`REPLYLANE_DEBUG\` | set: a command that fails shows where |
| \`REPLYLANE_CACHE\` | folder where \`npm run setup\` keeps the Temporal servers |
| \`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\`, \`TEMPORAL_TLS…\`, \`TEMPORAL_PROFILE\`, … | where Temporal is, as [\`@temporalio/envconfig\`](https://www.npmjs.com/package/@temporalio/envconfig) reads them; empty ones count as not set |
| \`TEMPORAL_UI\` | address of the Web UI, for \`links\` |
`;
