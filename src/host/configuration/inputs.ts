import path from 'node:path';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
import { filledOAuth } from './oauthEntry';
import type { InputDefinition, ServerConfig } from './serverConfig';

/** Who knows the values of inputs, or asks the person for them. */
export interface InputValues {
  /**
   * Before the values are wanted: asks for those that nobody knows, back and forth, and keeps what was
   * answered when all are. Whether the person answered; default: each is asked for when it is wanted.
   */
  prepare?(inputs: readonly InputDefinition[], token: CancellationToken): Promise<boolean>;
  /**
   * The value, remembered or asked for; `undefined` when the person did not answer. Shows one
   * question at a time, however many servers start. Nothing that is asked after `token` is
   * cancelled shows.
   */
  valueOf(input: InputDefinition, token: CancellationToken): Promise<string | undefined>;
}

/** Nobody knows any, so whatever needs one fails. */
export const noInputs: InputValues = {
  valueOf: ({ id }) =>
    Promise.reject(new McpError('missingVariable', { detail: inputVariable(id) })),
};

/** Inputs in a text, with the id of each. */
export const inputPattern = /\$\{input:([^{}]*)\}/g;

/** What a command input asks of the editor, in one line; `''` for other inputs. */
export function inputCommandText(input: InputDefinition): string {
  if (input.kind !== 'command') return '';
  const args = input.args === undefined ? [] : [input.args];
  return [input.command, ...args.map((value) => JSON.stringify(value))].join(' ');
}

export function hasInput(text: string): boolean {
  return text.includes('${input:');
}

/** How an input stands in a text. */
export function inputVariable(id: string): string {
  return `\${input:${id}}`;
}

/** Whether a server can be reached at it. */
export function isServerUrl(text: string): boolean {
  // VS Code's format has the last two: HTTP on a Unix socket, and on a named pipe.
  return URL.canParse(text) && /^(?:https?|unix|pipe):$/.test(new URL(text).protocol);
}

/** By id. @throws what {@link fillInputs} throws where there is no answer */
async function knownValues(
  inputs: readonly InputDefinition[],
  values: InputValues,
  token: CancellationToken,
): Promise<ReadonlyMap<string, string>> {
  const isAnswered = (await values.prepare?.(inputs, token)) ?? true;
  if (token.isCancellationRequested) throw new McpError('cancelled');
  if (!isAnswered) throw new McpError('notApproved');
  const known = new Map<string, string>();
  for (const input of inputs) {
    const value = await values.valueOf(input, token);
    if (token.isCancellationRequested) throw new McpError('cancelled');
    if (value === undefined) throw new McpError('notApproved');
    known.set(input.id, value);
  }
  return known;
}

/**
 * How the server is reached, with the values of its inputs filled in. Each input is asked for once,
 * in the order in which they stand; what the values themselves hold is not looked at again. For the
 * start alone: never show, log or keep what comes out.
 * @throws {McpError} notApproved when the person did not answer | cancelled | invalidConfiguration | whatever `values` rejects with
 */
export async function fillInputs(
  { transport, inputs = [] }: ServerConfig,
  values: InputValues,
  token: CancellationToken,
): Promise<ServerConfig['transport']> {
  if (inputs.length === 0) return transport;
  const known = await knownValues(inputs, values, token);
  const filled = (text: string): string =>
    text.replace(inputPattern, (variable: string, id: string) => known.get(id) ?? variable);
  const filledAll = <T>(record: Readonly<Record<string, T>>): Record<string, T | string> =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name,
        typeof value === 'string' ? filled(value) : value,
      ]),
    );
  if (transport.kind !== 'stdio') {
    const url = filled(transport.url);
    if (!isServerUrl(url)) throw new McpError('invalidConfiguration', { detail: transport.url });
    return {
      ...transport,
      url,
      headers: filledAll(transport.headers),
      ...filledOAuth(transport, filled),
    };
  }
  const cwd = transport.cwd === undefined ? undefined : filled(transport.cwd);
  // Relative to what? Only the person could say, and was asked for a folder.
  if (cwd !== undefined && !path.isAbsolute(cwd)) {
    throw new McpError('invalidConfiguration', { detail: transport.cwd ?? '' });
  }
  return {
    ...transport,
    command: filled(transport.command),
    args: transport.args.map(filled),
    env: filledAll(transport.env),
    ...(cwd === undefined ? {} : { cwd }),
  };
}
