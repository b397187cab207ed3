import path from 'node:path';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
import { mapTexts } from '../../core/json/shapes';
import { filledOAuth } from './oauthEntry';
import type { InputDefinition, ServerConfig } from './serverConfig';

/** Provides the values of inputs, or asks the user for them. */
export interface InputValues {
  /**
   * Asks for all missing values in one dialog with Back, before they are needed, and stores the
   * answers at the end. Resolves with false if the user did not answer. Without it, each value is
   * asked for when it is needed.
   */
  prepare?(inputs: readonly InputDefinition[], token: CancellationToken): Promise<boolean>;
  /**
   * Returns the stored or entered value; `undefined` if the user did not answer. Shows one question
   * at a time, however many servers start, and none after `token` is cancelled.
   */
  valueOf(input: InputDefinition, token: CancellationToken): Promise<string | undefined>;
}

/** Provides no values, so a server that needs one fails. */
export const noInputs: InputValues = {
  valueOf: ({ id }) =>
    Promise.reject(new McpError('missingVariable', { detail: inputVariable(id) })),
};

/** Matches inputs in a text and captures their ids. */
export const inputPattern = /\$\{input:([^{}]*)\}/g;

/** Returns the editor command of a command input, in one line; `''` for other inputs. */
export function inputCommandText(input: InputDefinition): string {
  if (input.kind !== 'command') return '';
  const args = input.args === undefined ? [] : [input.args];
  return [input.command, ...args.map((value) => JSON.stringify(value))].join(' ');
}

export function hasInput(text: string): boolean {
  return text.includes('${input:');
}

/** Returns the variable that refers to an input. */
export function inputVariable(id: string): string {
  return `\${input:${id}}`;
}

/** Returns true if the address is one that a server can have. */
export function isServerUrl(text: string): boolean {
  // VS Code's format also allows HTTP on a Unix socket and on a named pipe.
  return URL.canParse(text) && /^(?:https?|unix|pipe):$/.test(new URL(text).protocol);
}

/** Returns the values by id. @throws what {@link fillInputs} throws if there is no answer */
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
 * Returns the transport with the values of its inputs filled in. Each input is asked for once, in
 * order of occurrence. Values are not resolved again. Use the result only to start the server:
 * never show, log or store it.
 * @throws {McpError} notApproved if the user did not answer | cancelled | invalidConfiguration |
 * whatever `values` rejects with
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
  if (transport.kind !== 'stdio') {
    const url = filled(transport.url);
    if (!isServerUrl(url)) throw new McpError('invalidConfiguration', { detail: transport.url });
    return {
      ...transport,
      url,
      headers: mapTexts(transport.headers, filled),
      ...filledOAuth(transport, filled),
    };
  }
  const cwd = transport.cwd === undefined ? undefined : filled(transport.cwd);
  // A relative folder would be ambiguous, and the user was asked for a folder.
  if (cwd !== undefined && !path.isAbsolute(cwd)) {
    throw new McpError('invalidConfiguration', { detail: transport.cwd ?? '' });
  }
  return {
    ...transport,
    command: filled(transport.command),
    args: transport.args.map(filled),
    env: mapTexts(transport.env, filled),
    ...(cwd === undefined ? {} : { cwd }),
  };
}
