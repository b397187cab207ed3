import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { EntryReader, withoutBom } from './configurationEntry';
import { ProblemList, propertiesOf } from './configurationProblems';
import type { ConfigProblem, ConfigSource, ServerConfig } from './serverConfig';
import type { ConfigurationContext } from './variables';

/** A configuration of a thousand servers is smaller by half. */
const maxCharacters = 1024 * 1024;

/** What else VS Code has at the top of the file; without a meaning here so far. */
const neutralTopKeys = ['inputs', 'sandbox', '$schema'];

export interface ParsedConfiguration {
  /** In the order of the configuration; one with a fatal problem is listed and cannot start. */
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
  /** Nothing could be read; see {@link orLastGood}. */
  readonly isBroken: boolean;
}

/**
 * Reads a `.vscode/mcp.json`: JSON with comments, trailing commas and a byte order mark. A text
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
  const root = parseText(withoutBom(text), list);
  if (root === 'broken') return broken();
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

/** For a file or setting that cannot be read at all. */
export function unreadableConfiguration(source: ConfigSource, detail: string): ParsedConfiguration {
  const list = new ProblemList(source);
  list.addAtAll('unreadable', { detail, fatal: true });
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
  const path = source.kind === 'workspaceFile' ? ['servers', id] : [id];
  return { code: 'shadowed', source, server: id, path, fatal: false };
}

/** The root of the text, nothing for an empty one. */
function parseText(text: string, list: ProblemList): Node | 'broken' | undefined {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    // Nested so deep that the parser ran out of stack.
    list.addAtAll('notJson', { detail: String(error), fatal: true });
    return 'broken';
  }
  const [first] = errors;
  if (first === undefined) return root;
  const { error, offset, length } = first;
  const detail = printParseErrorCode(error);
  list.addAtAll('notJson', { detail, fatal: true }, { offset, length });
  return 'broken';
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
  const servers: ServerConfig[] = [];
  for (const { name, node, value } of properties) {
    if (name === 'servers') servers.push(...readServers(value, source, context, list));
    else if (!neutralTopKeys.includes(name)) {
      list.add('unknownKey', node, { detail: name, fatal: false });
    }
  }
  return servers;
}

function readServers(
  node: Node,
  source: ConfigSource,
  context: ConfigurationContext,
  list: ProblemList,
): ServerConfig[] {
  if (node.type !== 'object') {
    list.add('notAnObject', node, { fatal: true });
    return [];
  }
  const properties = propertiesOf(node, ({ name, node: earlier }) =>
    list.add('duplicateKey', earlier, { server: name, detail: name, fatal: false }),
  );
  return properties.flatMap(({ name, node: property, value }): ServerConfig[] => {
    if (name === '' || value.type !== 'object') {
      const code = name === '' ? 'wrongType' : 'notAnObject';
      list.add(code, name === '' ? property : value, { server: name, fatal: true });
      return [];
    }
    const reach = new EntryReader(name, value, context, list).read();
    return [{ id: name, label: name, source, reach }];
  });
}
