import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inputIdOf } from '../../host/adding/clientEntry';
import { namesInConfiguration } from '../../host/adding/configurationAdditions';
import { freeVariable } from '../../host/adding/movedEntry';
import { formatOf, sourceAt } from '../../host/configuration/configurationFormats';
import { inputVariable } from '../../host/configuration/inputs';
import type { ConfigurationContext } from '../../host/configuration/variables';
import type { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { withoutScheme } from '../../host/configuration/secretNames';
import { internalCommands } from '../../ids';
import { notify } from '../editor/messages';
import { isOwnArgument } from '../editor/ownArguments';
import { inputPlace, remember } from '../secrets/inputQuestions';
import { quoted } from '../format/sentences';
import type { ConfigurationDiagnostics } from './configurationDiagnostics';
import {
  addInputEdits,
  replaceTextEdits,
  textAt,
  type TextEdit,
} from '../../host/adding/configurationEdits';
import type { FileSource } from '../editor/configurationSources';
import { workspaceEditOf } from './fileEdits';
import { freeName } from '../../core/nearestName';
import { saveDocument } from '../editor/savedDocument';

interface SecretMovesOptions {
  readonly diagnostics: Pick<ConfigurationDiagnostics, 'of'>;
  readonly remembered: RememberedInputs;
  readonly environment: Pick<ConfigurationContext, 'env'>;
}

/** A secret as it is written in a file. */
interface FoundSecret {
  readonly document: vscode.TextDocument;
  readonly source: FileSource;
  /** Text of the whole file. */
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** The part before the secret that is not secret, such as `Bearer `. */
  readonly before: string;
  readonly secret: string;
  readonly server: string;
  /** Name of the variable or header. */
  readonly name: string;
}

/**
 * Registers how secrets are moved out of configuration files: into secret storage if the format has
 * inputs, otherwise into an environment variable.
 */
export function registerSecretMoves(options: SecretMovesOptions): vscode.Disposable {
  return vscode.commands.registerCommand(internalCommands.moveSecret, (uri: unknown, at: unknown) =>
    moveSecret(options, uri, at),
  );
}

async function moveSecret(options: SecretMovesOptions, uri: unknown, at: unknown): Promise<void> {
  // The command writes into a file, so it accepts only the argument of our own quick fix.
  if (!(uri instanceof vscode.Uri) || !Array.isArray(at) || !isOwnArgument(at)) return;
  const path = at.filter((part) => typeof part === 'string' || typeof part === 'number');
  const document = await vscode.workspace.openTextDocument(uri);
  const file = options.diagnostics.of(uri)[0]?.problem.source;
  const source = file && sourceAt(file, path);
  const text = document.getText();
  const whole = textAt(text, path);
  // The file changes at this moment, and its problems are looked for again.
  if (whole === undefined || source === undefined || !('path' in source)) {
    notifyUnchanged();
    return;
  }
  const secret = withoutScheme(whole);
  const before = whole.slice(0, whole.length - secret.length);
  const [server, name] = [String(path[1]), String(path.at(-1))];
  const found = { document, source, text, path, before, secret, server, name };
  if (formatOf(source) === 'vscode') await moveToStorage(options, found);
  else await moveToVariable(options, found);
}

/** Stores the value before it is removed from the file, so that it is never lost. */
async function moveToStorage(
  { remembered }: SecretMovesOptions,
  found: FoundSecret,
): Promise<void> {
  const { text, path, before, secret, source, server, name } = found;
  const id = freeName(toInputId(server, name), namesInConfiguration(text).inputs);
  const place = inputPlace({ id, source });
  await remember(remembered, place, true, secret);
  const written = await write(found, [
    ...replaceTextEdits(text, path, before + inputVariable(id)),
    ...addInputEdits(text, inputOf(id, name)),
  ]);
  if (written === 'impossible') {
    await remembered.forget(place);
    return;
  }
  notifyMoved(
    found,
    written,
    l10n.t(
      '“{0}” is now in secret storage as input “{1}”. If others saw this file or its history, replace the secret too.',
      quoted(name),
      quoted(id),
    ),
  );
}

/** Other clients read the file too, so it can only refer to a variable that all of them see. */
async function moveToVariable(
  { environment }: SecretMovesOptions,
  found: FoundSecret,
): Promise<void> {
  const { text, path, before, secret, server, name } = found;
  const { env } = environment;
  // A variable that the file uses already has another value.
  const isFree = (each: string): boolean =>
    env[each] === secret || (env[each] === undefined && !text.includes(`\${${each}`));
  const own = path[2] === 'env' && /^[A-Za-z_]\w*$/.test(name) && isFree(name);
  const variable = own ? name : freeVariable(`${server} ${name}`, isFree);
  const isSet = env[variable] === secret;
  if (!isSet) await vscode.env.clipboard.writeText(secret);
  const edits = replaceTextEdits(text, path, `${before}\${${variable}}`);
  const written = await write(found, edits);
  if (written === 'impossible') return;
  notifyMoved(
    found,
    written,
    isSet
      ? l10n.t(
          'The file now uses the environment variable “{0}”, which has this value. If others saw this file, replace the secret too.',
          variable,
        )
      : l10n.t(
          'The file now uses the environment variable “{0}”. The value is on the clipboard: set the variable where VS Code starts, or the server cannot start. If others saw this file, replace the secret too.',
          variable,
        ),
  );
}

function notifyMoved(
  { document }: FoundSecret,
  written: 'saved' | 'unsaved',
  sentence: string,
): void {
  const file = quoted(document.uri.path.split('/').at(-1));
  const unsaved = l10n.t('Save “{0}” to remove the secret from the file.', file);
  notify('information', written === 'saved' ? sentence : `${sentence} ${unsaved}`);
}

function notifyUnchanged(): void {
  notify('error', l10n.t('The file could not be changed, so it still contains the secret.'));
}

/** Names have no limit of their own. */
const maxIdChars = 60;

/** Returns an id made of the server and the name, so that the user recognizes the question. */
export function toInputId(server: string, name: string): string {
  return inputIdOf(`${server} ${name}`).slice(0, maxIdChars);
}

/** Returns an input that is masked while typing. */
export function inputOf(id: string, name: string) {
  return { type: 'promptString', id, description: name, password: true } as const;
}

/**
 * Makes the edit, and saves the document if it had no unsaved changes. Shows a message if the edit
 * is impossible.
 */
async function write(
  { document, text }: FoundSecret,
  edits: readonly TextEdit[],
): Promise<'saved' | 'unsaved' | 'impossible'> {
  const wasDirty = document.isDirty;
  // The user may type meanwhile, and the edits apply only to the unchanged text.
  const isDone =
    edits.length > 0 &&
    document.getText() === text &&
    (await vscode.workspace.applyEdit(workspaceEditOf(document, edits)));
  if (!isDone) {
    notifyUnchanged();
    return 'impossible';
  }
  return !wasDirty && (await saveDocument(document)) ? 'saved' : 'unsaved';
}
