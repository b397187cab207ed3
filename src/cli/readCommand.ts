import { valueWithin } from '../core/bounds/valueWithin';
import { isObject, restOf } from '../core/json/shapes';
import { expandUriTemplate, readUriTemplate } from '../core/resources/uriTemplate';
import type { FileCallTarget } from '../core/callFiles/callFile';
import { didYouMean } from '../core/nearestName';
import { raceCancellation } from '../core/rpc/cancellation';
import { reportResult, withStarted, type ResultShape } from './callCommand';
import type { CommandTools } from './commandTools';
import { argumentSources } from './cliValues';
import { errorMessage, inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { listResources } from './listedResources';
import { splitArgument } from './typedArguments';

type Target = FileCallTarget & { readonly kind: 'resource' | 'prompt' };
type Texts = Readonly<Record<string, string>>;

/** The search for a similar name holds back an error at most this long. */
const searchMs = 3_000;

/** Reads one resource, by its URI or by a template and its values, and writes it as JSON. @throws {UsageError} */
export async function readCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const [server, uri, ...typed] = operands;
  if (server === undefined || uri === undefined) {
    throw new UsageError('read requires the name of a server and the URI of a resource.');
  }
  const values = textsOf(typed, options);
  const name = values === undefined ? uri : expandedUri(uri, values);
  return readByHand(server, { kind: 'resource', name }, undefined, options);
}

/** Gets one prompt with its arguments, and writes its messages as JSON. @throws {UsageError} */
export async function promptCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const [server, name, ...typed] = operands;
  if (server === undefined || name === undefined) {
    throw new UsageError('prompt requires the names of a server and of one of its prompts.');
  }
  return readByHand(server, { kind: 'prompt', name }, textsOf(typed, options), options);
}

/** Reads as a call file does: rules do not apply to reading, so the user is not asked. */
function readByHand(
  server: string,
  target: Target,
  value: Texts | undefined,
  options: CommandTools,
): Promise<ExitCode> {
  const { session, output } = options;
  return withStarted(server, options, async () => {
    const outcome = await session.read(server, { target, value, meta: options.chosen.meta });
    if (outcome.kind === 'cancelled') return exitCodes.cancelled;
    if (outcome.kind === 'answered') {
      const shape = target.kind === 'prompt' ? ofPrompt : ofResource;
      const isWhole = await reportResult(outcome.answer.result, options, shape);
      return isWhole ? exitCodes.passed : exitCodes.failed;
    }
    const near = await nearestOf(server, target, options);
    const why = errorMessage(outcome.error, output.redact);
    const end = near === '' || why.endsWith('.') ? '' : '.';
    const what = `${target.kind} "${inLine(target.name)}" of "${server}"`;
    output.notify(`${what}: ${why}${end}${near}`);
    return exitCodes.failed;
  });
}

/**
 * Suggests a listed name. Empty if the server lists the name itself, has ended, or is slow to list.
 * @throws {McpError} cancelled
 */
async function nearestOf(
  server: string,
  { kind, name }: Target,
  { session }: CommandTools,
): Promise<string> {
  if (session.registry.find(server)?.state.kind !== 'running') return '';
  const search = valueWithin(listResources(session.registry.client(server)), searchMs);
  const listed = await raceCancellation(search, session.token);
  if (listed === undefined) return '';
  const template = listed.templates.find(({ uriTemplate }) => uriTemplate === name);
  if (kind === 'resource' && template !== undefined) {
    const read = readUriTemplate(name);
    const names = read.kind === 'usable' ? read.variables.map((each) => `${each.name}=…`) : [];
    return ` This is a template: add its values as ${names.join(' ')}.`;
  }
  const known =
    kind === 'prompt'
      ? listed.prompts.map((each) => each.name)
      : [...listed.resources.map(({ uri }) => uri), ...listed.templates.map((t) => t.uriTemplate)];
  return known.includes(name) ? '' : didYouMean(name, known);
}

/** Returns `undefined` if no argument was typed. @throws {UsageError} */
function textsOf(typed: readonly string[], options: CommandTools): Texts | undefined {
  if (typed.length === 0) return undefined;
  const { folder, env, secrets } = options;
  const sources = argumentSources(folder, env, secrets);
  const texts = new Map<string, string>();
  for (const each of typed) {
    const { name, value } = splitArgument(each, sources);
    if (!('text' in value)) {
      throw new UsageError(`"${inLine(name)}" takes a text: write ${inLine(name)}=value.`);
    }
    if (texts.has(name)) throw new UsageError(`"${inLine(name)}" is a duplicate.`);
    texts.set(name, value.text);
  }
  return Object.fromEntries(texts);
}

/** Expands a template with values to a URI. @throws {UsageError} */
function expandedUri(template: string, values: Texts): string {
  const read = readUriTemplate(template);
  if (read.kind === 'broken') {
    throw new UsageError(`This URI template cannot be used: ${inLine(read.place)}`);
  }
  const names = read.variables.map((each) => each.name);
  for (const name of Object.keys(values)) {
    if (names.includes(name)) continue;
    throw new UsageError(`The URI has no {${inLine(name)}}.${didYouMean(name, names)}`);
  }
  const missing = read.variables.find(
    ({ name, isOptional }) => !isOptional && (values[name] ?? '') === '',
  );
  if (missing !== undefined) throw new UsageError(`The URI requires a value: ${missing.name}=…`);
  return expandUriTemplate(template, values);
}

const ofResource: ResultShape = { json: contentsOf };
const ofPrompt: ResultShape = {
  json: promptOf,
  label: ({ role }) => (role === undefined ? '' : `${role}: `),
};

/**
 * Returns the result of `resources/read`, whose contents are embedded resources of the tool result.
 */
export function contentsOf(wire: object): object {
  const contents = contentIn(wire).map((each) => (isObject(each) ? each['resource'] : each));
  return { contents, ...othersIn(wire) };
}

/**
 * Returns the result of `prompts/get`, whose messages are blocks with a role in the tool result.
 */
function promptOf(wire: object): object {
  return { messages: contentIn(wire).map(messageOf), ...othersIn(wire) };
}

/** Returns `_meta` and unknown members. */
function othersIn(wire: object): object {
  return isObject(wire)
    ? (restOf(wire, (name) => name === 'content' || name === 'isError') ?? {})
    : {};
}

/** A message that cannot be parsed is returned unchanged. */
function messageOf(block: unknown): unknown {
  if (!isObject(block) || 'content' in block) return block;
  const { role, ...content } = block;
  return { role, content };
}

function contentIn(wire: object): readonly unknown[] {
  return 'content' in wire && Array.isArray(wire.content) ? wire.content : [];
}
