import { PluginKind, declareValuePlugin } from '@stryker-mutator/api/plugin';

/** What of the service's words is searched for in a text, and not told to a person. */
const searches = new Set(['startsWith', 'endsWith', 'includes', 'split', 'replace', 'replaceAll', 'padEnd']);

/**
 * Leaves out sentences for people: a text with a space in it, unless it is compared or searched for. What a program
 * branches on (kinds, states, fields) has no space, and is judged.
 */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'sentences', {
    shouldIgnore({ node, parent }) {
      if (!isSentence(node) || isCompared(parent)) return undefined;
      return 'a sentence for people';
    },
  }),
];

function isSentence(node) {
  if (node.type === 'StringLiteral') return node.value.includes(' ');
  if (node.type !== 'TemplateLiteral') return false;
  // What is worked out within the text is judged.
  const isPlain = node.expressions.every(({ type }) => type === 'Identifier' || type === 'MemberExpression');
  return isPlain && node.quasis.some(({ value }) => value.raw.includes(' '));
}

function isCompared(parent) {
  if (parent?.type === 'BinaryExpression' || parent?.type === 'SwitchCase') return true;
  return parent?.type === 'CallExpression' && searches.has(parent.callee.property?.name);
}
