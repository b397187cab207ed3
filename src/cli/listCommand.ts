import { runWithTimeLimit } from '../core/bounds/runWithTimeLimit';
import { jsonPieces } from '../core/json/jsonPieces';
import { isObject } from '../core/json/shapes';
import type { McpClient } from '../core/client';
import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { Server, ToolEntry } from '../host/connections/snapshot';
import { formatToolProblem } from '../texts/toolProblemTexts';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { notifyListProblems, notifyProblemsOfList } from './listProblems';
import {
  listResources,
  resourceLines,
  resourcesJson,
  type ListedResources,
} from './listedResources';
import { portabilityProblems } from './portability';
import { appJson, appLines, listedApps, type ListedApp } from './toolApps';
import { redactedResult } from './redactedResult';
import { serverFacts } from './connectionCommands';

export interface ListCommandOptions {
  readonly session: CliSession;
  readonly output: CliOutput;
  readonly isJson: boolean;
  readonly hasSchemas: boolean;
  /** The pages of apps are read, which tell what they request. */
  readonly hasApps: boolean;
  /** Pattern for names, titles and descriptions; other entries are not listed. */
  readonly grep: RegExp | undefined;
}

const maxNameChars = 200;
const maxInstructionChars = 1_000;
/** The time of the pattern for one server; a sensible one takes a few milliseconds. */
const patternsMs = 5_000;
/** Longer texts are matched only up to this length. */
const maxMatchedChars = 10_000;

/** Lists servers with their tools and risks, resources, templates and prompts: in lines, or as one JSON object. @throws {UsageError} */
export async function listCommand(
  operands: readonly string[],
  options: ListCommandOptions,
): Promise<ExitCode> {
  const { session, output, isJson } = options;
  const { registry } = session;
  const ids = operands.length === 0 ? registry.servers.map(({ config }) => config.id) : operands;
  if (ids.length === 0) throw new UsageError('No server is configured here.');
  const listed: object[] = [];
  let code: ExitCode = exitCodes.passed;
  for (const id of ids) {
    if (session.isCancelled) return exitCodes.cancelled;
    try {
      const started = await session.start(id);
      const client = registry.client(id);
      const { server, others } = matching(
        { server: started, others: await listResources(client) },
        options.grep,
      );
      const apps = await listedApps(server.tools, client, options);
      const shown = { ...options, apps };
      if (isJson) listed.push(serverJson(server, client, others, shown));
      else output.report(serverText(server, client.instructions, others, shown));
      const hasApps = [...apps.values()].every(({ error }) => error === undefined);
      if (!(notifyAllProblems(server, others, output) && hasApps) && code === exitCodes.passed) {
        code = exitCodes.serverFailed;
      }
      const differences = await session.pins.differences(started);
      for (const line of differences) output.notify(line);
      if (differences.length > 0) code = exitCodes.lockDiffers;
    } catch (thrown) {
      if (session.isCancelled) return exitCodes.cancelled;
      if (thrown instanceof UsageError) throw thrown;
      const error = session.startFailure(id, thrown, output.redact);
      listed.push({ server: output.redact(id), error: output.redact(error) });
      output.notify(error);
      if (code === exitCodes.passed) code = exitCodes.serverFailed;
    }
  }
  if (isJson) await output.reportJsonPieces(jsonPieces({ servers: listed }, 2));
  return session.isCancelled ? exitCodes.cancelled : code;
}

type ShownList = ListCommandOptions & { readonly apps: ReadonlyMap<string, ListedApp> };

interface Offer {
  readonly server: Server;
  readonly others: ListedResources;
}

/** @throws {UsageError} when the pattern takes too long */
function matching(offer: Offer, grep: RegExp | undefined): Offer {
  if (grep === undefined) return offer;
  // One limit for all texts, because a limit for each of thousands would take longer than the
  // pattern itself.
  const found = runWithTimeLimit(patternsMs, () => filteredOffer(offer, grep));
  if (found === undefined) throw new UsageError('--grep takes too long for this list.');
  return found.value;
}

function filteredOffer({ server, others }: Offer, grep: RegExp): Offer {
  const isFound = (...texts: readonly (string | undefined)[]): boolean =>
    texts.some((text = '') => grep.test(text.slice(0, maxMatchedChars)));
  const isListed = ({ name, title, description }: Pick<Tool, 'name' | 'title' | 'description'>) =>
    isFound(name, title, description);
  return {
    server: { ...server, tools: server.tools.filter(({ tool }) => isListed(tool)) },
    others: {
      ...others,
      resources: others.resources.filter((each) => isListed(each) || isFound(each.uri)),
      templates: others.templates.filter((each) => isListed(each) || isFound(each.uriTemplate)),
      prompts: others.prompts.filter(isListed),
    },
  };
}

/** Returns false when the server did not send everything. */
function notifyAllProblems(server: Server, others: ListedResources, output: CliOutput): boolean {
  const hasTools = notifyListProblems(server, output);
  const { id } = server.config;
  const hasResources = notifyProblemsOfList(
    id,
    { what: 'resources', problems: others.problems },
    output,
  );
  const ofPrompts = { what: 'prompts', problems: others.problemsOfPrompts } as const;
  return notifyProblemsOfList(id, ofPrompts, output) && hasResources && hasTools;
}

function serverText(
  { config, state, tools }: Server,
  instructions: string | undefined,
  others: ListedResources,
  { output, hasSchemas, apps }: ShownList,
): string {
  const revision = state.kind === 'running' ? ` (MCP ${state.revision})` : '';
  const shown = (name: string) => visibleText(output.redact(name), maxNameChars);
  const lines = tools.flatMap(({ tool, risk }) => {
    if (!tool.callable) {
      const why = reasonsOf({ tool }, output).map((reason) => `      ${reason}`);
      return [`  - ${shown(tool.name)}  unusable`, ...why];
    }
    const below = hasSchemas ? schemaLines(tool, output) : [];
    const app = appLines(apps.get(tool.name), output.redact);
    return [`  - ${shown(tool.name)}  ${risk.level}, ${risk.basis}`, ...app, ...below];
  });
  const below = resourceLines(others, output.redact);
  const told =
    instructions === undefined
      ? []
      : [`  instructions: ${visibleText(output.redact(instructions), maxInstructionChars)}`];
  return [`- ${shown(config.id)}${revision}`, ...told, ...lines, ...below, ''].join('\n');
}

function schemaLines(tool: Tool, { redact }: CliOutput): readonly string[] {
  const { inputSchema, outputSchema } = tool;
  const schemas = Object.entries({ input: inputSchema, output: outputSchema }).flatMap(
    ([name, schema]) =>
      schema === undefined
        ? []
        : [`      ${name} ${[...jsonPieces(schemaJson(schema, redact))].join('')}`],
  );
  return [...schemas, ...portabilityProblems(tool).map((each) => `      ! ${redact(each)}`)];
}

function serverJson(
  { config, tools }: Server,
  client: McpClient,
  others: ListedResources,
  options: ShownList,
): object {
  const { redact } = options.output;
  return {
    server: redact(config.id),
    ...serverFacts(client, redact),
    tools: tools.map((entry) => toolJson(entry, options)),
    ...resourcesJson(others, redact),
  };
}

/** Uses member names of this program, with texts and schemas of the server, without secrets. */
function toolJson({ tool, risk }: ToolEntry, { output, hasSchemas, apps }: ShownList): object {
  const { redact } = output;
  const textOf = (text: string | undefined) => (text === undefined ? undefined : redact(text));
  const { inputSchema, outputSchema } = tool;
  return {
    name: redact(tool.name),
    title: textOf(tool.title),
    description: textOf(tool.description),
    risk: {
      level: risk.level,
      openWorld: risk.openWorld,
      idempotent: risk.idempotent,
      basis: risk.basis,
    },
    isUsable: tool.callable,
    problems: reasonsOf({ tool }, output),
    ...appJson(apps.get(tool.name), redact),
    ...(hasSchemas
      ? {
          inputSchema: schemaJson(inputSchema, redact),
          outputSchema: schemaJson(outputSchema, redact),
          portability: tool.callable ? portabilityProblems(tool).map(redact) : [],
        }
      : {}),
  };
}

function schemaJson<Schema>(schema: Schema, redact: CliOutput['redact']): Schema | object {
  return isObject(schema) ? redactedResult(schema, redact) : schema;
}

function reasonsOf({ tool }: Pick<ToolEntry, 'tool'>, { redact }: CliOutput): readonly string[] {
  return tool.problems.map((problem) =>
    formatToolProblem(problem, (text) => inLine(redact(text ?? ''))),
  );
}
