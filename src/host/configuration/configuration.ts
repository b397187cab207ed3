import { getNodeValue, type Node } from 'jsonc-parser';
import { EntryReader } from './configurationEntry';
import { entryPath, expectedFormat, formatOf, serversKey, sourceAt } from './configurationFormats';
import { ProblemList, propertiesOf } from './configurationProblems';
import type { ReadFile } from './readConfiguration';
import { jsonTree, withoutBom } from './jsonTree';
import type {
  ConfigProblem,
  ConfigSource,
  InputDefinition,
  ServerConfig,
  StdioServerTransport,
  InputOption,
} from './serverConfig';
import {
  resolveShellVariables,
  type ConfigurationContext,
  resolveVariables,
  type ResolvedText,
} from './variables';

/** A configuration of a thousand servers has half of it. */
const maxCharacters = 1024 * 1024;
/** Every place that lists servers lists them all, so their number is limited. */
const maxServers = 2_000;

export interface ParsedConfiguration {
  /**
   * In the order of the configuration. A server with a fatal problem is listed and cannot start.
   */
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
  /** True if nothing could be read; see {@link keepServersIfBroken}. */
  readonly isBroken: boolean;
}

/**
 * Parses a file of servers in the format of its location: JSON with comments, trailing commas and a
 * byte order mark. A text that is not JSON yields no servers, because half a command is another
 * command. Never throws. An empty text is a configuration without servers.
 */
export function parseMcpJson(
  text: string,
  source: ConfigSource,
  context: ConfigurationContext,
): ParsedConfiguration {
  const list = new ProblemList(source);
  const broken = () => ({ servers: [], problems: list.problems, isBroken: true });
  if (text.length > maxCharacters) {
    list.addAtAll('tooLarge', { fatal: true });
    return broken();
  }
  const written = withoutBom(text);
  const { root, error } = jsonTree(written);
  if (error !== undefined) {
    const { detail, line } = error;
    const facts = { detail, ...(line === undefined ? {} : { line }), fatal: true };
    list.addAtAll('notJson', facts, error);
    return broken();
  }
  const servers = root === undefined ? [] : readRoot(root, written, source, context, list);
  return { servers, problems: list.problems, isBroken: false };
}

/** Parses the value of the user setting: an object from names to the same entries. Never throws. */
export function parseServersSetting(
  value: unknown,
  source: ConfigSource,
  context: ConfigurationContext,
): ParsedConfiguration {
  let text: string;
  try {
    text = JSON.stringify({ servers: value ?? {} });
  } catch (error) {
    const list = new ProblemList(source);
    list.addAtAll('notJson', { detail: String(error), fatal: true });
    return { servers: [], problems: list.problems, isBroken: true };
  }
  return parseMcpJson(text, source, context);
}

/** Parses a file that may be missing or unreadable. Never throws. */
export function parseFile(
  read: ReadFile,
  source: ConfigSource,
  context: ConfigurationContext,
): ParsedConfiguration {
  if (read.kind === 'text') return parseMcpJson(read.text, source, context);
  const list = new ProblemList(source);
  if (read.kind === 'absent') return { servers: [], problems: [], isBroken: false };
  const { code, detail } = read;
  list.addAtAll(code, { ...(detail === undefined ? {} : { detail }), fatal: true });
  return { servers: [], problems: list.problems, isBroken: true };
}

/**
 * Returns `now`. If it is broken, for example during typing, returns the previous servers with the
 * current problems: a missing comma must not stop running servers.
 */
export function keepServersIfBroken(
  now: ParsedConfiguration,
  before: ParsedConfiguration | undefined,
): ParsedConfiguration {
  if (!now.isBroken || before === undefined) return now;
  const kept = before.problems.filter((problem) => problem.server !== undefined);
  return { servers: before.servers, problems: [...now.problems, ...kept], isBroken: true };
}

/**
 * Returns all servers with unique ids, first configuration first. A later server of the same name
 * is a problem of the earlier one that says where it is.
 */
export function mergeConfigurations(configurations: readonly ParsedConfiguration[]): {
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
} {
  const servers = new Map<string, ServerConfig>();
  for (const server of configurations.flatMap((configuration) => configuration.servers)) {
    if (!servers.has(server.id)) servers.set(server.id, server);
  }
  const problems = configurations.flatMap((configuration) => {
    const twins = configuration.servers.filter((server) => servers.get(server.id) !== server);
    return [...problemsBesides(twins, servers, configuration), ...twins.map(toShadowed)];
  });
  return { servers: [...servers.values()], problems };
}

/** A problem of an ignored duplicate must not affect the server that counts. */
function problemsBesides(
  twins: readonly ServerConfig[],
  winners: ReadonlyMap<string, ServerConfig>,
  configuration: ParsedConfiguration,
): ConfigProblem[] {
  const ignored = new Set(twins.map((twin) => twin.id));
  const own = new Set(configuration.servers.map((server) => server.id));
  return configuration.problems
    .filter(({ server }) => server === undefined || !ignored.has(server))
    .map((problem) => {
      const { server } = problem;
      const isAboutAnother = server !== undefined && winners.has(server) && !own.has(server);
      return isAboutAnother ? { ...problem, fatal: false } : problem;
    });
}

function toShadowed({ id, source }: ServerConfig): ConfigProblem {
  return { code: 'shadowed', source, server: id, path: entryPath(source, id), fatal: false };
}

function readRoot(
  root: Node,
  text: string,
  source: ConfigSource,
  context: ConfigurationContext,
  list: ProblemList,
): ServerConfig[] {
  if (root.type !== 'object') {
    list.add('notAnObject', root, { fatal: true });
    return [];
  }
  const properties = propertiesOf(root, ({ name, node }) =>
    list.add('duplicateKey', node, { detail: name, fatal: false }),
  );
  const own = serversKey(formatOf(source));
  const other = own === 'servers' ? 'mcpServers' : 'servers';
  const known = new Set<string>([own, other, '$schema']);
  const of = (name: string) => properties.find((property) => property.name === name);
  // Only VS Code's format has inputs.
  if (own === 'servers' || of('servers') !== undefined) known.add('inputs').add('sandbox');
  const inputs = known.has('inputs') ? of('inputs') : undefined;
  const definitions = inputs && readInputs(inputs.value, source, list);
  const odd = properties.filter(({ name }) => !known.has(name));
  for (const { name, node } of odd) list.add('unknownKey', node, { detail: name, fatal: false });
  const foreign = 'path' in source ? of(other) : undefined;
  if (foreign !== undefined && expectedFormat(source) !== undefined) {
    list.add('foreignKey', foreign.node, { detail: own, fatal: false });
  }
  const servers: ServerConfig[] = [];
  for (const property of [of(own), foreign]) {
    if (property === undefined) continue;
    const place = sourceAt(source, [property.name]);
    const resolve = resolver(place, context, definitions);
    const taken = new Set(servers.map(({ id }) => id));
    servers.push(
      ...readServers(property.value, { text, source: place, context, list, resolve, taken }),
    );
  }
  return servers;
}

type Resolve = (text: string) => ResolvedText;

/** Returns how the variables of a location are resolved. */
function resolver(
  source: ConfigSource,
  context: ConfigurationContext,
  inputs: ReadonlyMap<string, InputDefinition> | undefined,
): Resolve {
  if (formatOf(source) === 'mcpServers') return (text) => resolveShellVariables(text, context);
  const findInput = (id: string): InputDefinition | undefined => {
    if (source.kind !== 'setting') return inputs?.get(id);
    // A setting cannot define inputs, so each input in it is a secret to ask for.
    return id === '' ? undefined : { kind: 'promptString', id, source, isPassword: true };
  };
  return (text) => resolveVariables(text, context, findInput);
}

interface ServersPlace {
  /** The text that the servers were parsed from. */
  readonly text: string;
  readonly source: ConfigSource;
  readonly context: ConfigurationContext;
  readonly list: ProblemList;
  readonly resolve: Resolve;
  /** Names under the file's own key, which take precedence. */
  readonly taken: ReadonlySet<string>;
}

function readServers(
  node: Node,
  { text, source, context, list, resolve, taken }: ServersPlace,
): ServerConfig[] {
  if (node.type !== 'object') {
    list.add('notAnObject', node, { fatal: true });
    return [];
  }
  const properties = propertiesOf(node, ({ name, node: earlier }) =>
    list.add('duplicateKey', earlier, { server: name, detail: name, fatal: false }),
  );
  if (properties.length > maxServers) {
    list.add('tooLarge', node, { fatal: true });
    return [];
  }
  return properties.flatMap(({ name, node: property, value }): ServerConfig[] => {
    if (taken.has(name)) {
      list.add('shadowed', property, { server: name, fatal: false });
      return [];
    }
    if (name === '' || value.type !== 'object') {
      const code = name === '' ? 'wrongType' : 'notAnObject';
      list.add(code, name === '' ? property : value, { server: name, fatal: true });
      return [];
    }
    const how = new EntryReader(name, value, context, list, resolve, text).read();
    if (how.transport.kind === 'stdio' && isToolgateBridge(how.transport)) {
      // The problem names no server, because another configuration may have a server of this name.
      list.add('ownBridge', property, { fatal: false });
      return [];
    }
    return [{ id: name, label: name, source, ...how }];
  });
}

/**
 * Matches the bridge where the extension keeps it, or where any version was installed, also inside
 * a shell command.
 */
const bridgeFile =
  /(?:^|[\\/"'\s])toolgate\.toolgate(?:-[^\\/"'\s]+)?[\\/]+(?:agents|dist)[\\/]+gateway\.js(?=$|["'\s])/i;

/**
 * Returns true if a server is the bridge by which agents reach Toolgate. Its tools are those of all
 * other servers, so calling it would call Toolgate. The window refuses a bridge under another name.
 */
export function isToolgateBridge({
  command = '',
  args = [],
}: Partial<Pick<StdioServerTransport, 'command' | 'args'>>): boolean {
  return [command, ...args].some((text) => bridgeFile.test(text));
}

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
function readInputs(
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
