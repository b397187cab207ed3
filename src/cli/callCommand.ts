import { fileText } from '../core/bounds/regularFile';
import { wireResult } from '../core/content/wireResult';
import { textOf } from '../core/content/textKind';
import { assertNever, type McpErrorCode } from '../core/errors';
import { jsonPieces } from '../core/json/jsonPieces';
import { raceCancellation } from '../core/rpc/cancellation';
import { readArgumentsText } from '../core/arguments/argumentsJson';
import type { JsonObject } from '../core/json/jsonValue';
import type { TaskHandle } from '../core/tasks/taskState';
import type { BinaryData, ContentBlock, ToolResult } from '../core/types';
import type { AnsweredOutcome, CallRequest } from '../host/calls/call';
import { lineNumberAt } from '../host/configuration/jsonTree';
import type { Server } from '../host/connections/snapshot';
import { formatTextProblem } from '../texts/jsonTextProblems';
import type { CommandTools } from './commandTools';
import type { CliOutput } from './cliOutput';
import type { CliCallOutcome } from './cliSession';
import { argumentSources } from './cliValues';
import { denialOf } from './denialMessages';
import { errorMessage, inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { repeatedToolMessage, repeatedTools, notifyListProblems } from './listProblems';
import { notifyNamedLogs } from './namedLogs';
import { progressLines } from './progressLines';
import { redactedResult } from './redactedResult';
import { nothingSaved, saveFiles, withSavedPaths } from './savedFiles';
import { nameArguments, readWrittenCall, splitArgument, typeArguments } from './typedArguments';

/** Further violations are not reported. */
const maxToldViolations = 20;
const maxArgumentBytes = 64 * 1024 * 1024;

/** Calls one tool, and writes its whole result as JSON. @throws {UsageError} */
export async function callCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const { folder, env, secrets, session, chosen } = options;
  const servers = session.registry.servers.map(({ config }) => config.id);
  const { server, tool, typed, json, values } = readWrittenCall(operands, servers);
  const ways = [typed[0], chosen.arguments, json, values];
  if (ways.filter((each) => each !== undefined).length > 1) {
    throw new UsageError('Use one of --arguments, name=value and tool(name: value).');
  }
  const given =
    json === undefined
      ? await givenArguments(options)
      : parseGiven(
          json,
          `The arguments of "${inLine(tool)}" must be name: value, separated by commas`,
        );
  const sources = argumentSources(folder, env, secrets);
  const split = typed.map((each) => splitArgument(each, sources));
  return withStarted(server, options, async (started) => {
    const schema = started.tools.find((each) => each.tool.name === tool)?.tool.inputSchema ?? {};
    const named = values && nameArguments(tool, values, schema);
    const args = named ?? (split.length === 0 ? given : typeArguments(split, schema));
    return callByHand(
      started,
      { tool, ...(args === undefined ? {} : { arguments: args }) },
      options,
    );
  });
}

async function callByHand(
  started: Server,
  called: Pick<CallRequest, 'tool' | 'arguments'>,
  options: CommandTools,
): Promise<ExitCode> {
  const { session, output, chosen } = options;
  const { id: server, transport } = started.config;
  const { tool } = called;
  if (chosen.isDetached && transport.kind === 'stdio') {
    throw new UsageError(
      '--detach requires a server with a URL, because a program ends with its tasks.',
    );
  }
  const before = session.findings.events.length;
  const made = await session.call({
    server,
    ...called,
    origin: 'commandLine',
    onProgress: progressLines(output),
    ...(chosen.meta === undefined ? {} : { meta: chosen.meta }),
  });
  const what = `"${tool}" of "${server}"`;
  const twice = repeatedTools(started).find((each) => each === tool);
  if (twice !== undefined) output.notify(repeatedToolMessage(server, twice));
  // The error of a call says why its server ended.
  if ('result' in made.outcome) {
    for (const line of session.findings.events.slice(before)) output.notify(line);
  }
  const { detached } = session;
  if (detached !== undefined) return reportDetached(detached, output);
  if (chosen.isDetached && 'result' in made.outcome) {
    output.notify(`${what}: the server answered without a task.`);
  }
  const hint = (code: McpErrorCode) => session.toolHint(server, tool, code);
  return reportOutcome(what, made, options, hint);
}

/**
 * Starts the server for one command by hand; differences from the lock file decide the exit code.
 * @throws {UsageError} if it is not configured
 */
export async function withStarted(
  server: string,
  { session, output }: Pick<CommandTools, 'session' | 'output'>,
  work: (started: Server) => Promise<ExitCode>,
): Promise<ExitCode> {
  session.named(server);
  let started: Server;
  try {
    started = await session.start(server);
  } catch (thrown) {
    output.notify(session.startFailure(server, thrown, output.redact));
    return session.isCancelled ? exitCodes.cancelled : exitCodes.serverFailed;
  }
  const isNew = !session.reported.has(started);
  session.reported.add(started);
  if (isNew) notifyListProblems(started, output);
  const differences = await session.pins.differences(started);
  if (isNew) for (const line of differences) output.notify(line);
  const code = await work(started);
  return differences.length > 0 ? exitCodes.lockDiffers : code;
}

/** Writes where the task is found again: its id, and its session if the server has sessions. */
async function reportDetached(
  { taskId, sessionId, ttlMs }: TaskHandle,
  output: CliOutput,
): Promise<ExitCode> {
  await output.reportJsonPieces(jsonPieces({ task: { taskId, sessionId, ttlMs } }, 2));
  return exitCodes.passed;
}

async function reportOutcome(
  what: string,
  { outcome, question }: CliCallOutcome,
  options: CommandTools,
  hint: (code: McpErrorCode) => string,
): Promise<ExitCode> {
  const { output } = options;
  switch (outcome.kind) {
    case 'denied': {
      const { sentence, rule, isLocked } = denialOf(question, outcome.decision);
      output.notify(sentence);
      if (rule !== undefined) output.notify(`This rule would: ${rule}`);
      return isLocked ? exitCodes.lockDiffers : exitCodes.denied;
    }
    case 'cancelled':
      return exitCodes.cancelled;
    case 'failed': {
      const why = errorMessage(outcome.error, output.redact);
      output.notify(`${what}: ${why}${hint(outcome.error.code)}`);
      for (const { pointer, message } of outcome.violations) {
        output.notify(`${pointer} ${message}`.trim());
      }
      return exitCodes.failed;
    }
    case 'result':
    case 'toolError': {
      const { folder, chosen } = options;
      const { tailLog } = chosen;
      if (tailLog !== undefined) await notifyNamedLogs(outcome.result, { folder, tailLog }, output);
      const isSound = !notifyFaults(what, outcome, output) || !chosen.isStrict;
      const isWhole = await reportResult(outcome.result, options);
      const isPassed = outcome.kind === 'result' && isWhole && isSound;
      return isPassed ? exitCodes.passed : exitCodes.failed;
    }
    default:
      return assertNever(outcome);
  }
}

/** Reports the faults of an answer. Returns true if it violates the declarations of the tool. */
function notifyFaults(
  what: string,
  { result, schemaError, violations, missingStructuredContent }: AnsweredOutcome,
  output: CliOutput,
): boolean {
  if (missingStructuredContent) {
    output.notify(`${what}: the output schema requires structured content, but there is none.`);
  }
  if (result.hasBareStructure === true) {
    output.notify(`${what}: before MCP 2026-07-28, structured content must be an object.`);
  }
  for (const { pointer, message } of violations.slice(0, maxToldViolations)) {
    const place = pointer === '' ? 'structured content' : `structured content${pointer}`;
    output.notify(`${what}: ${place} breaks its output schema: ${message}`);
  }
  if (schemaError !== undefined) {
    output.notify(`${what}: not validated against its output schema: ${schemaError}`);
  }
  return missingStructuredContent || result.hasBareStructure === true || violations.length > 0;
}

/** Output format for results of resources and prompts. */
export interface ResultShape {
  /** Returns the JSON of the wire result. */
  readonly json: (wire: object) => object;
  /** Returns the text before a block. */
  readonly label?: (block: ContentBlock) => string;
}

const ofTool: ResultShape = { json: (wire) => wire };

/**
 * Writes a result without secrets, as on the wire or as its texts only; with `save`, its files are
 * written into that folder. Resolves with false if a file was not written.
 */
export async function reportResult(
  result: ToolResult,
  { output, folder, chosen: { save, isText } }: CommandTools,
  shape: ResultShape = ofTool,
): Promise<boolean> {
  const saved =
    save === undefined ? nothingSaved : await saveFiles(result, { folder, save }, output);
  if (isText) {
    for (const text of resultTexts(result, shape, output)) output.report(`${text}\n`);
    return !saved.hasFailed;
  }
  const json = resultJson(result, output, (wire) => shape.json(withSavedPaths(wire, saved.paths)));
  await output.reportJsonPieces(jsonPieces(json, 2));
  return !saved.hasFailed;
}

/** Returns a result as on the wire, in the given form and without secrets. */
export function resultJson(
  result: ToolResult,
  { hasSecrets, redact }: CliOutput,
  form: ResultShape['json'],
): object {
  // Bytes are only converted to text if there are secrets that the text could contain.
  if (!hasSecrets) return form(wireResult(result, { text: (text) => text, data: (data) => data }));
  return redactedResult(form(wireResult(result, { text: textOf, data: base64Of })), redact);
}

/** Returns the text of each block, or structured content if no block has a text. */
function resultTexts(
  result: ToolResult,
  { label = () => '' }: ResultShape,
  { redact }: CliOutput,
): readonly string[] {
  const texts = result.content.map((block) => redact(`${label(block)}${blockText(block)}`));
  const hasText = result.content.some(({ type }) => type === 'text');
  const { structuredContent } = result;
  if (hasText || structuredContent === undefined) return texts;
  const json = redactedResult({ structuredContent }, redact);
  return [...texts, [...jsonPieces(Object.values(json)[0], 2)].join('')];
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return textOf(block.text);
    case 'image':
    case 'audio':
      return `(${block.type}, ${block.mimeType})`;
    case 'resource': {
      const { text, uri, mimeType = 'no type' } = block.resource;
      return text === undefined ? `(${uri}, ${mimeType})` : textOf(text);
    }
    case 'resource_link':
      return `(link to ${block.uri})`;
    case 'unknown':
      return `(${block.reason})`;
    default:
      return assertNever(block);
  }
}

/** @throws {UsageError} | {McpError} cancelled */
async function givenArguments({
  chosen: { arguments: given },
  context: { streams },
  session,
}: CommandTools): Promise<JsonObject | undefined> {
  if (given === undefined) return undefined;
  const isInput = given === '-';
  const text = isInput ? await raceCancellation(inputText(streams.stdin), session.token) : given;
  return parseGiven(text, ofOption);
}

async function inputText(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const own = Buffer.from(chunk);
    chunks.push(own);
    bytes += own.length;
    if (bytes > maxArgumentBytes) throw new UsageError('The arguments are too large.');
  }
  try {
    return fileText(Buffer.concat(chunks), { fatal: true });
  } catch (error) {
    throw new UsageError('The arguments are not in UTF-8.', { cause: error });
  }
}

const ofOption = '--arguments must be a JSON object that can be sent';

/** @throws {UsageError} which begins with `rule` */
function parseGiven(text: string, rule: string): JsonObject {
  const { value, problems } = readArgumentsText(text);
  if (value !== undefined) return value;
  const [problem] = problems;
  if (problem === undefined) throw new UsageError(`${rule}.`);
  const line = lineNumberAt(text, problem.offset);
  throw new UsageError(`${rule} (line ${line}): ${formatTextProblem(problem, inLine)}`);
}

function base64Of(data: BinaryData): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64');
}
