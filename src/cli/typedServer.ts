import { parseMcpJson } from '../host/configuration/configuration';
import type { ConfigurationContext } from '../host/configuration/variables';
import type { ServerConfig } from '../host/configuration/serverConfig';
import { parseCommandLine } from '../host/adding/programDraft';
import { formatConfigProblem } from '../texts/configProblems';
import { inLine } from './errorMessage';
import { UsageError } from './exitCodes';

/** A server that is defined on the command line and not in a file. */
export interface TypedServer {
  readonly name: string;
  /** Has the form of an entry of `mcp.json`. */
  readonly entry: object;
}

export interface TypedServerOptions {
  readonly command?: string | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly name?: string | undefined;
}

const defaultName = 'server';

/** Returns `undefined` when no server was typed. @throws {UsageError} */
export function typedServerOf({
  command,
  cwd,
  url,
  header = [],
  name = defaultName,
  ...rest
}: TypedServerOptions & { readonly 'server-config'?: string | undefined }):
  | TypedServer
  | undefined {
  if (cwd !== undefined && command === undefined) {
    throw new UsageError('--cwd requires --command.');
  }
  if (header.length > 0 && url === undefined) throw new UsageError('--header requires --url.');
  if (command === undefined && url === undefined) {
    if (name === defaultName) return undefined;
    throw new UsageError('--name requires --command or --url.');
  }
  if (command !== undefined && url !== undefined) {
    throw new UsageError('Use either --command or --url.');
  }
  if (rest['server-config'] !== undefined) {
    throw new UsageError('--server-config cannot be combined with --command or --url.');
  }
  if (url !== undefined) return { name, entry: { url, headers: headersOf(header) } };
  const line = parseCommandLine(command ?? '');
  if (line === undefined)
    throw new UsageError('--command must be a program with its arguments and complete quotes.');
  return { name, entry: { ...line, ...(cwd === undefined ? {} : { cwd }) } };
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined)
      throw new UsageError('--header must be a name and a value, such as "X-Key: abc".');
    if (headers.has(name)) throw new UsageError(`The header ${name} is a duplicate.`);
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}

/** Reads the entry like one of the user settings, with the inputs that it names. @throws {UsageError} */
export function typedConfiguration(
  { name, entry }: TypedServer,
  context: ConfigurationContext,
): ServerConfig {
  const ids = new Set(
    [...JSON.stringify(entry).matchAll(/\$\{input:([^}"\\]+)\}/g)].map(([, id]) => id),
  );
  const inputs = [...ids].map((id) => ({
    id,
    type: 'promptString',
    description: id,
    password: true,
  }));
  const text = JSON.stringify({ servers: { [name]: entry }, inputs });
  const { servers, problems } = parseMcpJson(text, { kind: 'setting' }, context);
  const fatal = problems.find((problem) => problem.fatal);
  if (fatal !== undefined) {
    // An address may hold a password, which the redaction does not know yet.
    const { detail: _, ...shown } = fatal;
    throw new UsageError(formatConfigProblem(fatal.code === 'invalidUrl' ? shown : fatal, inLine));
  }
  const [server] = servers;
  if (server === undefined) throw new UsageError('This server cannot be used.');
  return server;
}

/** Returns the only operand of a command for one server. @throws {UsageError} */
export function onlyServer(command: string, operands: readonly string[]): string {
  const [server, ...rest] = operands;
  if (server !== undefined && rest.length === 0) return server;
  throw new UsageError(`${command} takes one server.`);
}
