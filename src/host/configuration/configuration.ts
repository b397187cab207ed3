import type { Node } from 'jsonc-parser';
import { EntryReader } from './configurationEntry';
import { entryPath, expectedFormat, formatOf, serversKey, sourceAt } from './configurationFormats';
import { ProblemList, propertiesOf } from './configurationProblems';
import { readInputs } from './inputDefinitions';
import { jsonTree, withoutBom } from './jsonTree';
import type { ReadFile } from './readConfiguration';
import type {
  ConfigProblem,
  ConfigSource,
  InputDefinition,
  ServerConfig,
  StdioServerTransport,
} from './serverConfig';
import {
  resolveShellVariables,
  type ConfigurationContext,
  resolveVariables,
  type ResolvedText,
} from './variables';

/** A configuration of a thousand servers is smaller by half. */
const maxCharacters = 1024 * 1024;
/** Nobody has a tenth of it; every place that lists servers lists them all. */
const maxServers = 2_000;

export interface ParsedConfiguration {
  /** In the order of the configuration; one with a fatal problem is listed and cannot start. */
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
  /** Nothing could be read; see {@link orLastGood}. */
  readonly isBroken: boolean;
}

/**
 * Reads a file of servers in the format of its place: JSON with comments, trailing commas and a byte order mark. A text
 * that is not JSON gives no servers at all, because half a command is another command. Never
 * throws; an empty text is a configuration without servers.
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
  const { root, error } = jsonTree(withoutBom(text));
  if (error !== undefined) {
    list.addAtAll('notJson', { detail: error.detail, fatal: true }, error);
    return broken();
  }
  const servers = root === undefined ? [] : readRoot(root, source, context, list);
  return { servers, problems: list.problems, isBroken: false };
}

/**
 * Reads the value of the user setting: an object from names to the same entries. Never throws.
 */
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

/** What a file configures, which may not be there, or not be readable. Never throws. */
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
 * `now`, or while it is broken (somebody is typing) the servers of before with the problems of now:
 * a missing comma must not stop what runs.
 */
export function orLastGood(
  now: ParsedConfiguration,
  before: ParsedConfiguration | undefined,
): ParsedConfiguration {
  if (!now.isBroken || before === undefined) return now;
  const kept = before.problems.filter((problem) => problem.server !== undefined);
  return { servers: before.servers, problems: [...now.problems, ...kept], isBroken: true };
}

/**
 * All servers with unique ids, the first configuration first. The later twin of a name is not a
 * server but a problem of the earlier one, which says where it stands.
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

/** What is wrong with a twin that does not count must not hold up the one that does. */
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
  // Only VS Code's format has a place for them.
  if (own === 'servers' || of('servers') !== undefined) known.add('inputs').add('sandbox');
  const inputs = known.has('inputs') ? of('inputs') : undefined;
  const definitions = inputs && readInputs(inputs.value, source, list);
  for (const { name, node } of properties) {
    if (!known.has(name)) list.add('unknownKey', node, { detail: name, fatal: false });
  }
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
    servers.push(...readServers(property.value, { source: place, context, list, resolve, taken }));
  }
  return servers;
}

type Resolve = (text: string) => ResolvedText;

/** How the variables of a place are filled in. */
function resolver(
  source: ConfigSource,
  context: ConfigurationContext,
  inputs: ReadonlyMap<string, InputDefinition> | undefined,
): Resolve {
  if (formatOf(source) === 'mcpServers') return (text) => resolveShellVariables(text, context);
  const findInput = (id: string): InputDefinition | undefined => {
    if (source.kind !== 'setting') return inputs?.get(id);
    // A setting has no place to define inputs, so each that is named in it is a secret to ask for.
    return id === '' ? undefined : { kind: 'promptString', id, source, isPassword: true };
  };
  return (text) => resolveVariables(text, context, findInput);
}

interface ServersPlace {
  readonly source: ConfigSource;
  readonly context: ConfigurationContext;
  readonly list: ProblemList;
  readonly resolve: Resolve;
  /** Names that stand under the file's own key, and count. */
  readonly taken: ReadonlySet<string>;
}

function readServers(
  node: Node,
  { source, context, list, resolve, taken }: ServersPlace,
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
    const how = new EntryReader(name, value, context, list, resolve).read();
    if (how.transport.kind === 'stdio' && isOwnBridge(how.transport)) {
      // Of no server: there may be one of this name elsewhere.
      list.add('ownBridge', property, { fatal: false });
      return [];
    }
    return [{ id: name, label: name, source, ...how }];
  });
}

/**
 * The bridge where the extension keeps it, or where any version of it was installed, also inside a
 * line for a shell.
 */
const bridgeFile =
  /(?:^|[\\/"'\s])toolgate\.toolgate(?:-[^\\/"'\s]+)?[\\/]+(?:agents|dist)[\\/]+gateway\.js(?=$|["'\s])/i;

/**
 * Whether a server is the bridge by which agents reach Toolgate: its tools are those of all other
 * servers, and who calls one calls Toolgate. What has another name is turned away by the window.
 */
export function isOwnBridge({
  command = '',
  args = [],
}: Partial<Pick<StdioServerTransport, 'command' | 'args'>>): boolean {
  return [command, ...args].some((text) => bridgeFile.test(text));
}
