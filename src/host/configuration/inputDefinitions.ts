import { getNodeValue, type Node } from 'jsonc-parser';
import { propertiesOf, type ProblemList } from './configurationProblems';
import type { ConfigSource, InputDefinition, InputOption } from './serverConfig';

const kinds = ['promptString', 'pickString', 'command'] as const;
const commonKeys = ['id', 'type', 'description'];
const ownKeys = {
  promptString: ['default', 'password'],
  pickString: ['default', 'options'],
  command: ['command', 'args'],
} as const;

/**
 * Reads the `inputs` of a file by id. Invalid ones are reported and left out; a server that uses
 * one reports it. Of duplicate ids the last one counts, as with keys.
 */
export function readInputs(
  node: Node,
  source: ConfigSource,
  list: ProblemList,
): ReadonlyMap<string, InputDefinition> {
  const inputs = new Map<string, InputDefinition>();
  const nodes = new Map<string, Node>();
  if (node.type !== 'array') {
    list.add('wrongType', node, { detail: 'array', fatal: false });
    return inputs;
  }
  for (const item of node.children ?? []) {
    const input = readInput(item, source, list);
    if (input === undefined) continue;
    const earlier = nodes.get(input.id);
    if (earlier) list.add('duplicateKey', earlier, { detail: input.id, fatal: false });
    nodes.set(input.id, item);
    inputs.set(input.id, input);
  }
  return inputs;
}

function readInput(
  node: Node,
  source: ConfigSource,
  list: ProblemList,
): InputDefinition | undefined {
  const wrong = (where: Node, detail: string): undefined => {
    list.add('wrongType', where, { detail, fatal: false });
    return undefined;
  };
  if (node.type !== 'object') return wrong(node, 'object');
  const properties = propertiesOf(node, ({ name, node: earlier }) =>
    list.add('duplicateKey', earlier, { detail: name, fatal: false }),
  );
  const values = new Map(properties.map(({ name, value }) => [name, value]));
  const textAt = (key: string): string | undefined => {
    const value: unknown = values.has(key) ? getNodeValue(values.get(key) ?? node) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const id = textAt('id');
  const kind = kinds.find((known) => known === textAt('type'));
  // Braces would end the variable that names the input.
  if (id === undefined || id === '' || /[{}]/.test(id)) return wrong(node, 'id');
  if (kind === undefined) return wrong(values.get('type') ?? node, kinds.join(' | '));
  for (const { name, node: property } of properties) {
    if (commonKeys.includes(name) || ownKeys[kind].some((key) => key === name)) continue;
    list.add('unknownKey', property, { detail: name, fatal: false });
  }
  const description = textAt('description');
  const fallback = textAt('default');
  const common = {
    id,
    source,
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined || kind === 'command' ? {} : { default: fallback }),
  };
  if (kind === 'promptString') {
    const password = values.get('password');
    return {
      ...common,
      kind,
      isPassword: password !== undefined && getNodeValue(password) === true,
    };
  }
  if (kind === 'pickString') {
    const options = readOptions(values.get('options'));
    return options.length === 0
      ? wrong(values.get('options') ?? node, 'options')
      : { ...common, kind, options };
  }
  const command = textAt('command');
  if (command === undefined || command === '')
    return wrong(values.get('command') ?? node, 'command');
  const args = values.get('args');
  const given: unknown = args && getNodeValue(args);
  return { ...common, kind, command, ...(given === undefined ? {} : { args: given }) };
}

/** Reads strings, or objects with a label and a value, as in VS Code; ignores anything else. */
function readOptions(node: Node | undefined): InputOption[] {
  const given: unknown = node && getNodeValue(node);
  if (!Array.isArray(given)) return [];
  return given.flatMap((option: unknown): InputOption[] => {
    if (typeof option === 'string') return [{ value: option, label: option }];
    if (typeof option !== 'object' || option === null) return [];
    const { value, label }: { value?: unknown; label?: unknown } = option;
    if (typeof value !== 'string') return [];
    return [{ value, label: typeof label === 'string' ? label : value }];
  });
}
