import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../tools/temporal/package-root.ts';

/** An expression in a file of `deploy/`, and where it stands. */
export interface DeployedExpression {
  readonly where: string;
  readonly expression: string;
}

export interface AlertRule extends DeployedExpression {
  readonly command: string | undefined;
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

/** Every expression of the dashboard, those of its variables as the selector that they are. */
export function dashboardExpressions(): readonly DeployedExpression[] {
  const { panels, templating } = JSON.parse(text('grafana/replylane.json')) as Dashboard;
  const ofPanels = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ where: `panel "${title}"`, expression: expr })),
  );
  const ofVariables = templating.list.flatMap(({ name, definition }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? [];
    if (definition !== undefined && metric === undefined) throw new Error(`not read: ${definition}`);
    return metric === undefined
      ? []
      : [{ where: `variable ${name}`, expression: `sum by (${label}) (${metric})` }];
  });
  return [...ofPanels, ...ofVariables];
}

/** The alert rules, as this project writes them: each field on one line. */
export function alertRules(): readonly AlertRule[] {
  const field = (rule: string, name: string): string | undefined =>
    new RegExp(`^ +${name}: (.+)$`, 'm').exec(rule)?.[1];
  return text('prometheus/alerts.yml')
    .split(/^ +- alert: /m)
    .slice(1)
    .map((rule) => {
      const expression = field(rule, 'expr');
      const where = `alert ${rule.split('\n')[0]}`;
      if (expression === undefined || /^[>|]/.test(expression))
        throw new Error(`${where} has no expr on one line`);
      return { where, expression, command: field(rule, 'command') };
    });
}

function text(path: string): string {
  return readFileSync(join(packageRoot(), 'deploy', path), 'utf8');
}
