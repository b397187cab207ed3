import { runWithTimeLimit } from '../core/bounds/runWithTimeLimit';
import { jsonPieces } from '../core/json/jsonPieces';
import { isObject } from '../core/json/shapes';
import type { McpClient } from '../core/client';
import type { Tool } from '../core/types';
import { raceCancellation } from '../core/rpc/cancellation';
import { visibleText } from '../core/visibleText';
import type { Server, ToolEntry } from '../host/connections/snapshot';
import { formatToolProblem } from '../texts/toolProblemTexts';
import type { CommandTools } from './commandTools';
import type { CliOutput } from './cliOutput';
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
import { appJson, listedAppLines, listedApps, type ListedApp } from './toolApps';
import { redactedResult } from './redactedResult';
import { serverFacts } from './connectionCommands';

const maxNameChars = 200;
const maxInstructionChars = 1_000;
/** The time of the pattern for one server; a sensible one takes a few milliseconds. */
const patternsMs = 5_000;
/** Longer texts are matched only up to this length. */
const maxMatchedChars = 10_000;

/** Lists servers with their tools and risks, resources, templates and prompts: in lines, or as one JSON object. @throws {UsageError} */
export async function listCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const { session, output, chosen, isBroken } = options;
  const { isJson } = chosen;
  const { registry } = session;
  const ids = operands.length === 0 ? registry.servers.map(({ config }) => config.id) : operands;
  if (ids.length === 0) throw new UsageError('No server is configured here.');
  for (const id of operands) session.named(id);
  const listed: object[] = [];
  // A list of all servers is not whole if a configuration cannot be read.
  let code: ExitCode =
    operands.length === 0 && isBroken ? exitCodes.serverFailed : exitCodes.passed;
  for (const id of ids) {
    if (session.isCancelled) return exitCodes.cancelled;
    try {
      const started = await session.start(id);
      const offer = await offerOf(started, options);
      if (isJson) listed.push(serverJson(offer, options));
      else output.report(serverText(offer, options));
      if (!notifyAllProblems(offer, output) && code === exitCodes.passed) {
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

interface Offer {
  readonly server: Server;
  readonly client: McpClient;
  readonly others: ListedResources;
  /** Apps of tools, by the tools' names. */
  readonly apps: ReadonlyMap<string, ListedApp>;
}

async function offerOf(started: Server, options: CommandTools): Promise<Offer> {
  const { session, chosen } = options;
  const client = session.registry.client(started.config.id);
  const others = await raceCancellation(listResources(client), session.token);
  const all = { server: started, others };
  const found = matching(all, chosen.run.grep);
  return { ...found, client, apps: await listedApps(found.server.tools, client, options) };
}

type Lists = Pick<Offer, 'server' | 'others'>;

/** @throws {UsageError} when the pattern takes too long */
function matching(offer: Lists, grep: RegExp | undefined): Lists {
  if (grep === undefined) return offer;
  // One limit for all texts, because a limit for each of thousands would take longer than the
  // pattern itself.
  const found = runWithTimeLimit(patternsMs, () => filteredOffer(offer, grep));
  if (found === undefined) throw new UsageError('--grep takes too long for this list.');
  return found.value;
}

function filteredOffer({ server, others }: Lists, grep: RegExp): Lists {
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
function notifyAllProblems({ server, others, apps }: Offer, output: CliOutput): boolean {
  const hasTools = notifyListProblems(server, output);
  const { id } = server.config;
  const hasResources = notifyProblemsOfList(
    id,
    { what: 'resources', problems: others.problems },
    output,
  );
  const ofPrompts = { what: 'prompts', problems: others.problemsOfPrompts } as const;
  const hasPrompts = notifyProblemsOfList(id, ofPrompts, output);
  const hasApps = [...apps.values()].every(({ error }) => error === undefined);
  return hasPrompts && hasResources && hasTools && hasApps;
}

function serverText(
  { server: { config, state, tools }, client: { instructions }, others, apps }: Offer,
  { output, chosen: { hasSchemas } }: CommandTools,
): string {
  const revision = state.kind === 'running' ? ` (MCP ${state.revision})` : '';
  const shown = (name: string) => visibleText(output.redact(name), maxNameChars);
  const lines = tools.flatMap(({ tool, risk }) => {
    if (!tool.callable) {
      const why = reasonsOf({ tool }, output).map((reason) => `      ${reason}`);
      return [`  - ${shown(tool.name)}  unusable`, ...why];
    }
    const below = hasSchemas ? schemaLines(tool, output) : [];
    const app = listedAppLines(apps.get(tool.name), output.redact);
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
  { server: { config, tools }, client, others, apps }: Offer,
  options: CommandTools,
): object {
  const { redact } = options.output;
  return {
    server: redact(config.id),
    ...serverFacts(client, redact),
    tools: tools.map((entry) => ({
      ...toolJson(entry, options),
      ...appJson(apps.get(entry.tool.name), redact),
    })),
    ...resourcesJson(others, redact),
  };
}

/** Uses member names of this program, with texts and schemas of the server, without secrets. */
function toolJson(
  { tool, risk }: ToolEntry,
  { output, chosen: { hasSchemas } }: CommandTools,
): object {
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
