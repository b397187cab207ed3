import { wireResult } from '../core/content/wireResult';
import { textOf } from '../core/content/textData';
import { assertNever } from '../core/errors';
import { jsonPieces } from '../core/json/jsonPieces';
import { readArgumentsText } from '../core/arguments/argumentsJson';
import type { JsonObject } from '../core/json/jsonValue';
import type { BinaryData, ToolResult } from '../core/types';
import type { AnsweredOutcome } from '../host/calls/call';
import type { Server } from '../host/connections/snapshot';
import type { SecretValues } from '../host/secrets/secretValues';
import type { CliOutput } from './cliOutput';
import type { CliSession, MadeCliCall } from './cliSession';
import { typedVariable, type ProcessEnvironment } from './cliValues';
import { denialOf } from './denialWords';
import { errorMessage } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { tellListProblems } from './listProblems';
import { redactedResult } from './redactedResult';
import { nothingSaved, saveFiles, withSavedPaths } from './savedFiles';
import { splitArgument, typeArguments, type TypedArgument } from './typedArguments';

export interface CallCommandOptions {
  readonly session: CliSession;
  readonly output: CliOutput;
  readonly env: ProcessEnvironment;
  readonly secrets: Pick<SecretValues, 'add'>;
  /** As typed. */
  readonly arguments?: string;
  /** Where the program runs. */
  readonly folder: string;
  /** The folder into which pictures, sound and resources of the result are written. */
  readonly save?: string;
}

/** Further violations are not told. */
const maxToldViolations = 20;

/** Calls one tool, and writes its whole result as JSON. @throws {UsageError} */
export async function callCommand(
  operands: readonly string[],
  options: CallCommandOptions,
): Promise<ExitCode> {
  const [server, tool, ...typed] = operands;
  if (server === undefined || tool === undefined) {
    throw new UsageError('call takes the name of a server and of one of its tools.');
  }
  if (typed.length > 0 && options.arguments !== undefined) {
    throw new UsageError('Arguments are given by --arguments or as name=value, not by both.');
  }
  const given = options.arguments === undefined ? undefined : parseGiven(options.arguments);
  const split = typed.map((each) => filledArgument(splitArgument(each), options));
  const { session } = options;
  return withStarted(server, options, async (started) => {
    const schema = started.tools.find((each) => each.tool.name === tool)?.tool.inputSchema ?? {};
    const args = split.length === 0 ? given : typeArguments(split, schema);
    const made = await session.call({
      server,
      tool,
      origin: 'commandLine',
      ...(args === undefined ? {} : { arguments: args }),
    });
    const near = session.nearestTool(server, tool);
    return reportOutcome(`"${tool}" of "${server}"`, made, options, near);
  });
}

/** Starts the server for one command by hand; differences from the lock file decide the exit code. */
export async function withStarted(
  server: string,
  { session, output }: Pick<CallCommandOptions, 'session' | 'output'>,
  work: (started: Server) => Promise<ExitCode>,
): Promise<ExitCode> {
  let started: Server;
  try {
    started = await session.start(server);
  } catch (thrown) {
    output.tell(session.startFailure(server, thrown, output.redact));
    return session.isCancelled ? exitCodes.cancelled : exitCodes.serverFailed;
  }
  tellListProblems(started, output);
  const differences = await session.pins.differences(started);
  for (const line of differences) output.tell(line);
  const code = await work(started);
  return differences.length > 0 ? exitCodes.lockDiffers : code;
}

/** Replaces a variable by its value, which is a secret from here on. @throws {UsageError} */
export function filledArgument(
  argument: TypedArgument,
  { env, secrets }: Pick<CallCommandOptions, 'env' | 'secrets'>,
): TypedArgument {
  if (!('text' in argument.value)) return argument;
  const text = typedVariable(argument.value.text, env);
  if (text === undefined) return argument;
  secrets.add(text);
  return { ...argument, value: { text } };
}

async function reportOutcome(
  what: string,
  { outcome, question }: MadeCliCall,
  options: CallCommandOptions,
  near: string,
): Promise<ExitCode> {
  const { output } = options;
  switch (outcome.kind) {
    case 'denied': {
      const { sentence, rule, isLocked } = denialOf(question, outcome.decision);
      output.tell(sentence);
      if (rule !== undefined) output.tell(`This rule would: ${rule}`);
      return isLocked ? exitCodes.lockDiffers : exitCodes.denied;
    }
    case 'cancelled':
      return exitCodes.cancelled;
    case 'failed': {
      const words = errorMessage(outcome.error, output.redact);
      output.tell(`${what}: ${words}${outcome.error.code === 'unknownTool' ? near : ''}`);
      for (const { pointer, message } of outcome.violations) output.tell(`${pointer} ${message}`);
      return exitCodes.failed;
    }
    case 'result':
    case 'toolError': {
      tellFaults(what, outcome, output);
      const isWhole = await reportResult(outcome.result, options);
      return outcome.kind === 'toolError' || !isWhole ? exitCodes.failed : exitCodes.passed;
    }
    default:
      return assertNever(outcome);
  }
}

/** What is wrong with an answer that came. */
function tellFaults(
  what: string,
  { result, schemaError, violations, missingStructuredContent }: AnsweredOutcome,
  output: CliOutput,
): void {
  if (missingStructuredContent) {
    output.tell(`${what}: no structured content came, though its output schema asks for it.`);
  }
  if (result.hasBareStructure === true) {
    output.tell(`${what}: structured content is no object, as it has to be before MCP 2026-07-28.`);
  }
  for (const { pointer, message } of violations.slice(0, maxToldViolations)) {
    const place = pointer === '' ? 'structured content' : `structured content${pointer}`;
    output.tell(`${what}: ${place} breaks its output schema: ${message}`);
  }
  if (schemaError !== undefined) {
    output.tell(`${what}: not checked against its output schema: ${schemaError}`);
  }
}

/**
 * Writes a result as JSON, as it stands on the wire and without secrets; with `save`, its files go into
 * that folder. `shape` may put the wire result into another form. False when a file was not written.
 */
export async function reportResult(
  result: ToolResult,
  { output, folder, save }: Pick<CallCommandOptions, 'output' | 'folder' | 'save'>,
  shape: (wire: object) => object = (wire) => wire,
): Promise<boolean> {
  const saved =
    save === undefined ? nothingSaved : await saveFiles(result, { folder, save }, output);
  // Bytes stay bytes when there is no secret that the texts made of them could hold.
  const wire = output.hasSecrets
    ? wireResult(result, { text: textOf, data: base64Of })
    : wireResult(result, { text: (text) => text, data: (data) => data });
  const shown = shape(withSavedPaths(wire, saved.paths));
  const json = output.hasSecrets ? redactedResult(shown, output.redact) : shown;
  await output.reportJsonPieces(jsonPieces(json, 2));
  return !saved.hasFailed;
}

function parseGiven(text: string): JsonObject {
  const { value, problems } = readArgumentsText(text);
  const [first] = problems;
  if (value !== undefined) return value;
  throw new UsageError(`--arguments is no JSON object that can be sent (${first?.code ?? ''}).`);
}

function base64Of(data: BinaryData): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64');
}
