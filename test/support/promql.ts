/** A metric as an expression asks for it. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly op: string; readonly value: string }[];
}

/** Samples of a scrape: the labels of each, by the name of the metric. */
export type Scrape = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
/** Labels that Prometheus itself adds to what it scrapes. */
const scrapeLabels = new Set(['instance', 'job']);

/** The metrics that a PromQL expression names; functions, groupings, ranges and values are none. */
export function selectorsIn(expression: string): readonly Selector[] {
  const bare = withoutRanges(expression).replace(groupings, ' ');
  const found: Selector[] = [];
  for (const [, name = '', after = '', matchers = ''] of bare.matchAll(
    /(?<![\w.:$"])([A-Za-z_:][\w:]*)\s*(\(|\{([^}]*)\})?/g,
  )) {
    if (after === '(' || keywords.has(name.toLowerCase())) continue;
    found.push({ name, matchers: matchersIn(matchers) });
  }
  return found;
}

/** What an expression asks for that no sample of the scrape has; empty where it could be answered. */
export function missingIn(expression: string, scrape: Scrape): readonly string[] {
  const selectors = selectorsIn(expression);
  const missing = selectors.flatMap(({ name, matchers }) => {
    const samples = scrape.get(name);
    if (!samples) return [name];
    return matchers.flatMap(({ label, op, value }) => {
      if (!samples.some((labels) => label in labels)) return [`${name}{${label}}`];
      const isThere = op !== '=' || samples.some((labels) => labels[label] === value);
      return isThere ? [] : [`${name}{${label}="${value}"}`];
    });
  });
  const known = selectors.flatMap(({ name }) => scrape.get(name) ?? []);
  const unknownGroups = groupLabelsIn(expression).filter(
    (label) => !scrapeLabels.has(label) && !known.some((labels) => label in labels),
  );
  return [...missing, ...unknownGroups.map((label) => `by (${label})`)];
}

/** Reads Prometheus' text format. */
export function parseScrape(text: string): Scrape {
  const samples = new Map<string, Record<string, string>[]>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', labels = ''] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? \S+/.exec(line) ?? [];
    if (name === '') throw new Error(`no sample: ${line}`);
    const read = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]);
    samples.set(name, [
      ...(samples.get(name) ?? []),
      Object.fromEntries(read as [string, string][]) as Record<string, string>,
    ]);
  }
  return samples;
}

/** The value of the one sample that has all these labels; undefined where there is none. */
export function valueOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((part) => line.includes(part)));
  if (lines.length > 1) throw new Error(`${lines.length} samples of ${name}: ${lines.join('; ')}`);
  return lines[0] === undefined ? undefined : Number(lines[0].slice(lines[0].lastIndexOf(' ') + 1));
}

const groupings = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

function groupLabelsIn(expression: string): readonly string[] {
  return [...expression.matchAll(groupings)].flatMap(([, labels = '']) =>
    labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}

function withoutRanges(expression: string): string {
  return expression.replace(/\[[^\]]*\]/g, ' ');
}

function matchersIn(text: string): Selector['matchers'] {
  return [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
    ([, label = '', op = '', value = '']) => ({
      label,
      op,
      value,
    }),
  );
}
