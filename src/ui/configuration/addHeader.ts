import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  changeOf,
  takenIn,
  withAddition,
  withMember,
} from '../../host/adding/configurationAdditions';
import { freeName } from '../../host/adding/draftSecrets';
import { formatOf } from '../../host/configuration/configurationFormats';
import { inputVariable } from '../../host/configuration/inputs';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import { internalCommands } from '../../ids';
import { commandTarget } from '../editor/commandTarget';
import { tell } from '../editor/messages';
import { isOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { editOf } from './fileEdits';
import { freeVariable, inputOf, toInputId } from './secretMoves';
import { openEntry } from './signInInstead';

/** The most common header. The user can change the name. */
const name = 'Authorization';
const object = 'headers';

/**
 * _Add Header…_ writes a header into the entry of a server in the open editor, with a variable for
 * the secret. It does not save, so the user sees the change and can undo it.
 */
export function registerAddHeader(registry: Pick<ServerRegistry, 'find'>): vscode.Disposable {
  return vscode.commands.registerCommand(internalCommands.addHeader, async (argument: unknown) => {
    // The command changes a file, so it accepts only the argument of our own quick fix.
    if (!isOwnArgument(argument)) return;
    const { serverId } = commandTarget(argument);
    const server = serverId === undefined ? undefined : registry.find(serverId);
    if (server !== undefined) await addHeader(server.config);
  });
}

async function addHeader(config: ServerConfig): Promise<void> {
  const label = quoted(config.label);
  const { document, path } = await openEntry(config);
  const before = document?.getText() ?? '';
  const after = withVariable(before, path, config);
  const isDone =
    document !== undefined &&
    after !== undefined &&
    (await vscode.workspace.applyEdit(editOf(document, [changeOf(before, after)])));
  if (!isDone) {
    tell('warning', l10n.t('The header could not be added to “{0}”.', label));
    return;
  }
  tell(
    'information',
    l10n.t(
      'Added the header “{1}” to “{0}”. Enter its value, save the file, and start the server.',
      label,
      name,
    ),
  );
}

/** Returns the text with the header. Its secret is an input if the format has inputs. */
function withVariable(
  text: string,
  path: readonly string[],
  { id, source }: ServerConfig,
): string | undefined {
  const hasInputs = 'path' in source && formatOf(source) === 'vscode';
  if (!hasInputs) {
    const variable = freeVariable(`${id} token`, (each) => !text.includes(each));
    const written = 'path' in source ? `\${${variable}}` : `\${env:${variable}}`;
    return withMember(text, path, { object, name, value: `Bearer ${written}` });
  }
  const input = inputOf(freeName(toInputId(id, 'token'), takenIn(text).inputs), name);
  const value = `Bearer ${inputVariable(input.id)}`;
  const after = withMember(text, path, { object, name, value });
  return after && withAddition(after, { servers: [], inputs: [input] });
}
