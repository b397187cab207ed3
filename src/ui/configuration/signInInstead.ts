import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { entryPath, formatOf } from '../../host/configuration/configurationFormats';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { internalCommands, settings } from '../../ids';
import { notify } from '../editor/messages';
import { isOwnArgument, commandTarget } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { removeMemberEdits } from '../../host/adding/configurationEdits';
import { openConfigurationFile, openSettingText } from '../editor/configurationFiles';
import { workspaceEditOf } from './fileEdits';
import { settingPath } from './settingDiagnostics';
import {
  smallestEdit,
  namesInConfiguration,
  withAddition,
  withMember,
} from '../../host/adding/configurationAdditions';
import { inputVariable } from '../../host/configuration/inputs';
import { freeVariable } from '../../host/adding/movedEntry';
import { inputOf, toInputId } from './secretMoves';
import { freeName } from '../../core/nearestName';

/**
 * _Use Sign-In Instead_ removes the `Authorization` header from the entry of a server in the open
 * editor. It does not save, so the user sees the change and can undo it.
 */
export function registerSignInInstead(registry: Pick<ServerRegistry, 'find'>): vscode.Disposable {
  return registerQuickFix(internalCommands.signInInstead, registry, removeHeader);
}

/**
 * Opens the text that contains the entry of a server and returns its position. Returns `undefined`
 * if it no longer exists.
 */
export async function openEntry({ source, id }: Pick<ServerConfig, 'source' | 'id'>) {
  const ownPath = entryPath(source, id);
  const path = 'path' in source ? ownPath : [...settingPath, ...ownPath];
  const document =
    'path' in source
      ? await openConfigurationFile(vscode.Uri.file(source.path), ownPath)
      : await openSettingText(settings.servers);
  return { document, path };
}

async function removeHeader(config: ServerConfig): Promise<void> {
  const { label } = config;
  const { document, path } = await openEntry(config);
  if (document === undefined) return notifyNotThere(label);
  const edits = removeMemberEdits(document.getText(), [...path, 'headers'], /^authorization$/i);
  const isDone =
    edits.length > 0 && (await vscode.workspace.applyEdit(workspaceEditOf(document, edits)));
  if (!isDone) return notifyNotThere(label);
  const sentence = l10n.t(
    'Removed “Authorization” of “{0}” from the file. Save the file and start the server to sign in.',
    quoted(label),
  );
  notify('information', sentence);
}

function notifyNotThere(label: string): void {
  const sentence = l10n.t(
    '“Authorization” of “{0}” could not be removed: it is no longer in the file, or the file is read-only.',
    quoted(label),
  );
  notify('warning', sentence);
}

/** The most common header. The user can change the name. */
const name = 'Authorization';
const object = 'headers';

/**
 * _Add Header…_ writes a header into the entry of a server in the open editor, with a variable for
 * the secret. It does not save, so the user sees the change and can undo it.
 */
export function registerAddHeader(registry: Pick<ServerRegistry, 'find'>): vscode.Disposable {
  return registerQuickFix(internalCommands.addHeader, registry, addHeader);
}

function registerQuickFix(
  command: string,
  registry: Pick<ServerRegistry, 'find'>,
  fix: (config: ServerConfig) => Promise<void>,
): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (argument: unknown) => {
    // The command changes a file, so it accepts only the argument of our own quick fix.
    if (!isOwnArgument(argument)) return;
    const { serverId } = commandTarget(argument);
    const server = serverId === undefined ? undefined : registry.find(serverId);
    if (server !== undefined) await fix(server.config);
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
    (await vscode.workspace.applyEdit(workspaceEditOf(document, [smallestEdit(before, after)])));
  if (!isDone) {
    notify('warning', l10n.t('The header could not be added to “{0}”.', label));
    return;
  }
  notify(
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
  const input = inputOf(freeName(toInputId(id, 'token'), namesInConfiguration(text).inputs), name);
  const value = `Bearer ${inputVariable(input.id)}`;
  const after = withMember(text, path, { object, name, value });
  return after && withAddition(after, { servers: [], inputs: [input] });
}
