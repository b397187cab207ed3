import * as l10n from '@vscode/l10n';
import * as jsonc from 'jsonc-parser';
import * as vscode from 'vscode';
import {
  type Addition,
  namesInConfiguration,
  withAddition,
} from '../../host/adding/configurationAdditions';
import type { DraftInput } from '../../host/adding/draft';
import { isObject } from '../../core/json/shapes';
import { isUnusedVariable, type MovedEntry, moveEntry } from '../../host/adding/movedEntry';
import { entryPath, formatOf, isCopilotFile } from '../../host/configuration/configurationFormats';
import { inputVariable } from '../../host/configuration/inputs';
import { ServerEntries } from '../../host/configuration/serverEntries';
import type { ConfigProblem, ConfigSource } from '../../host/configuration/serverConfig';
import type { ConfigurationContext } from '../../host/configuration/variables';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { commands, internalCommands } from '../../ids';
import { variablesToSet } from './addFlow';
import { askTarget } from './targets';
import { type ChangedText, configurationTextOf, writeTexts } from './writeAddition';
import type { WritePreviews } from './writePreviews';
import { exists } from '../editor/configurationFiles';
import type { FileSource } from '../editor/configurationSources';
import { labelOfFolder } from '../editor/localFolders';
import { notify } from '../editor/messages';
import { escapeIcons } from '../../core/visibleText';
import { askItem } from '../editor/stepInputs';
import { labelText } from '../format/labelText';
import { quoted } from '../format/sentences';
import { formatSource } from '../format/sentencesOfProblems';
import { namedServer } from '../servers/serverPicker';
import { withoutEntry } from '../../host/adding/configurationEdits';

interface MoveServersOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  readonly userFiles: readonly string[];
  readonly previews: Pick<WritePreviews, 'ask'>;
  readonly environment: Pick<ConfigurationContext, 'env'>;
  readonly reload: () => Promise<void>;
}

interface Moving extends MoveServersOptions {
  /** The moves that a notification can undo. Only the notification has the key. */
  readonly undoable: WeakMap<object, UndoableMove>;
}

interface UndoableMove {
  readonly texts: readonly ChangedText[];
  /** The file that did not exist before the move. Other programs cannot read an empty one. */
  readonly created: vscode.Uri | undefined;
}

/** The texts of both files after a move, and what the user should know before it. */
interface PlannedMove {
  readonly from: ChangedText;
  readonly to: ChangedText;
  readonly notes: readonly string[];
}

/**
 * _Move Server…_ and _Move All Servers…_ move entries to another file, after a diff of
 * both files. Literal secrets and values of inputs are not written. The notification undoes the
 * move.
 */
export function registerMoveServers(given: MoveServersOptions): vscode.Disposable {
  const options: Moving = { ...given, undoable: new WeakMap() };
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register(commands.moveServer, (argument: unknown) => moveOne(options, argument)),
    register(commands.moveAllServers, () => moveAll(options)),
    register(internalCommands.undoMove, (argument: unknown) => undo(options, argument)),
  );
}

async function moveOne(options: Moving, argument: unknown): Promise<void> {
  const { registry } = options;
  const none = [l10n.t('Only servers that a configuration file defines can be moved.')] as const;
  const title = l10n.t('Move Server');
  const server = await namedServer(argument, { registry, title, fits: isInFile, none });
  if (server === undefined) return;
  if (isInFile(server)) await move(options, [server]);
  else notify('information', ...none);
}

/** Moves the servers of VS Code's file in a folder, which is asked for if several folders have one. */
async function moveAll(options: Moving): Promise<void> {
  const inFolders = options.registry.servers
    .filter(isInFile)
    .filter(({ config: { source } }) => source.kind === 'workspaceFile')
    .filter(({ config: { source } }) => formatOf(source) === 'vscode');
  if (inFolders.length === 0) {
    notify('information', l10n.t('No server of .vscode/mcp.json is in use.'));
    return;
  }
  await move(options, await serversOfOneFile(inFolders));
}

/** Returns no server if the user closes the question. */
async function serversOfOneFile(servers: readonly Server[]): Promise<readonly Server[]> {
  const items = [...new Set(servers.map(pathOf))].map((path) => {
    const own = servers.filter((server) => pathOf(server) === path);
    const label = own[0] === undefined ? path : escapeIcons(formatSource(own[0].config.source));
    const folder = own[0] && folderOf(own[0].config.source);
    return {
      label,
      ...(folder === undefined ? {} : { description: labelText(labelOfFolder(folder)) }),
      detail: own.map(({ config }) => escapeIcons(quoted(config.label))).join(', '),
      own,
    };
  });
  if (items.length === 1) return servers;
  const { end, value } = await askItem(items, {
    title: l10n.t('Move All Servers'),
    placeholder: l10n.t('Choose the file whose servers move'),
    hasBack: false,
  });
  return end === 'next' ? (value?.own ?? []) : [];
}

function isInFile({ config: { source } }: Server): boolean {
  return source.kind === 'workspaceFile' || source.kind === 'userFile';
}

function folderOf(source: ConfigSource): string | undefined {
  return source.kind === 'workspaceFile' ? source.folder : undefined;
}

function pathOf({ config: { source } }: Server): string {
  return 'path' in source ? source.path : '';
}

/** Every server has to be of the same file. */
async function move(options: Moving, servers: readonly Server[]): Promise<void> {
  const [first] = servers;
  if (first === undefined || !('path' in first.config.source)) return;
  const { source } = first.config;
  const isOther = (other: FileSource) => other.path !== source.path;
  const { value: target } = await askTarget(options.userFiles, false, undefined, isOther);
  if (target === undefined) return;
  const uri = vscode.Uri.file(source.path);
  const isNew = !(await exists(target.uri));
  const [fromText, toText] = [
    await configurationTextOf(uri),
    await configurationTextOf(target.uri),
  ];
  const planned =
    fromText === undefined || toText === undefined
      ? l10n.t('One of the files cannot be read.')
      : planMove(servers, { uri, text: fromText }, { ...target, text: toText }, options);
  if (typeof planned === 'string') {
    notify('error', l10n.t('Nothing was moved. {0}', planned));
    return;
  }
  if (!(await options.previews.ask(previewOf(planned, source, target.source)))) return;
  await write(
    options,
    { ...planned, isNew },
    servers.map(({ config }) => config.id),
  );
}

/** Shows both files in one diff, one below the other. */
function previewOf({ from, to, notes }: PlannedMove, source: FileSource, target: FileSource) {
  const both = (one: string, other: string): string =>
    [`// ${formatSource(source)}`, one, `// ${formatSource(target)}`, other].join('\n');
  return {
    title: l10n.t('{0} and {1}: Preview of Changes', formatSource(source), formatSource(target)),
    fileName: target.path.split(/[\\/]/).at(-1) ?? 'mcp.json',
    before: both(from.before, to.before),
    after: both(from.after, to.after),
    notes,
  };
}

async function write(
  { reload, undoable }: Moving,
  { from, to, notes, isNew }: PlannedMove & { readonly isNew: boolean },
  names: readonly string[],
): Promise<void> {
  const outcome = await writeTexts([to, from]);
  if (outcome === 'impossible') {
    notify('error', l10n.t('Nothing was moved. A file has changed or is read-only. Try again.'));
    return;
  }
  await reload();
  const moved = names.map(quoted).join(', ');
  const sentence = l10n.t('Moved: {0}. You are asked again before the first start.', moved);
  const back = [to, from].map(({ uri, before, after }) => ({ uri, before: after, after: before }));
  const key = {};
  undoable.set(key, { texts: back, created: isNew ? to.uri : undefined });
  const unsaved = outcome === 'unsaved' ? [from, to].filter(isUnsaved).map(toUnsavedNote) : [];
  notify('information', [sentence, ...unsaved, ...notes].join(' '), {
    title: l10n.t('Undo'),
    command: internalCommands.undoMove,
    arguments: [key],
  });
}

function isUnsaved({ uri }: ChangedText): boolean {
  return vscode.workspace.textDocuments.some(
    (each) => each.isDirty && each.uri.toString() === uri.toString(),
  );
}

function toUnsavedNote({ uri }: ChangedText): string {
  const file = quoted(vscode.workspace.asRelativePath(uri));
  return l10n.t('{0} has other unsaved changes. Save it to finish the move.', file);
}

async function undo({ reload, undoable }: Moving, argument: unknown): Promise<void> {
  const back = isObject(argument) ? undoable.get(argument) : undefined;
  if (back === undefined) return;
  const outcome = await writeTexts(back.texts);
  if (outcome === 'impossible') {
    notify('warning', l10n.t('The move was not undone because a file has changed since.'));
  } else if (outcome === 'saved' && back.created !== undefined) {
    await vscode.workspace.fs.delete(back.created);
  }
  await reload();
}

interface PlaceText {
  readonly uri: vscode.Uri;
  readonly text: string;
}

interface MovedServer {
  readonly name: string;
  readonly entry: MovedEntry;
  readonly path: readonly string[];
}

/** Returns a sentence if the servers cannot be moved. */
function planMove(
  servers: readonly Server[],
  from: PlaceText,
  target: PlaceText & { readonly source: FileSource },
  { environment: { env } }: Pick<MoveServersOptions, 'environment'>,
): PlannedMove | string {
  const isFree = (name: string): boolean => isUnusedVariable(name, env, [target.text, from.text]);
  const moved = movedServers(servers, from.text, target.source, isFree);
  if (typeof moved === 'string') return moved;
  const entries = moved.map(({ entry }) => entry);
  const used = entries.flatMap(({ inputs }) => inputs);
  const addition: Addition = {
    servers: moved.map(({ name, entry }) => ({ name, entry: {}, text: entry.text })),
    inputs: inputsOf(from.text).filter(({ id }) => used.includes(id)),
  };
  const after = withAddition(target.text, addition, formatOf(target.source));
  if (after === undefined) {
    return l10n.t('That file is not valid JSON, or has a server or an input of this name already.');
  }
  const rest = moved.reduce((text, { path }) => withoutEntry(text, path), from.text);
  return {
    from: { uri: from.uri, before: from.text, after: withoutUnusedInputs(from.text, rest) },
    to: { uri: target.uri, before: target.text, after },
    notes: notesOf(entries, servers, target.source),
  };
}

function movedServers(
  servers: readonly Server[],
  text: string,
  target: FileSource,
  isUnset: (name: string) => boolean,
): readonly MovedServer[] | string {
  const taken = new Set<string>();
  const isFree = (name: string): boolean => isUnset(name) && !taken.has(name);
  const to = { format: formatOf(target), isCopilot: isCopilotFile(target) };
  const moved: MovedServer[] = [];
  for (const { config, configProblems } of servers) {
    const name = config.id;
    const path = entryPath(config.source, name);
    const raw = rawEntry(text, path);
    if (raw === undefined || configProblems.some(isBlocking)) {
      return l10n.t('Correct the entry of “{0}” first.', quoted(name));
    }
    const entry = moveEntry(raw, { server: name, from: formatOf(config.source), to, isFree });
    const [impossible] = entry.impossible;
    if (impossible !== undefined) {
      return l10n.t(
        '“{0}” uses {1}, which that file cannot contain.',
        quoted(name),
        quoted(impossible),
      );
    }
    for (const each of entry.variables) taken.add(each);
    moved.push({ name, entry, path });
  }
  return moved;
}

/** A variable without a value does not hinder: the entry is moved as it is written. */
function isBlocking({ code, fatal }: ConfigProblem): boolean {
  return fatal && code !== 'missingVariable';
}

/** Returns the text of the value at `path`, with the indentation of its line removed. */
function rawEntry(text: string, path: readonly string[]): string | undefined {
  const node = new ServerEntries(text).node(path);
  if (node?.type !== 'object') return undefined;
  const line = text.slice(text.lastIndexOf('\n', node.offset - 1) + 1, node.offset);
  const [indent = ''] = /^[ \t]*/.exec(line) ?? [];
  const lines = text.slice(node.offset, node.offset + node.length).split(/\r?\n/);
  return lines
    .map((each, index) => (index > 0 && each.startsWith(indent) ? each.slice(indent.length) : each))
    .join('\n');
}

/** Returns the definitions of inputs as they are written. */
function inputsOf(text: string): Addition['inputs'] {
  const root: unknown = jsonc.parse(text);
  const inputs: unknown = isObject(root) ? root['inputs'] : undefined;
  return Array.isArray(inputs) ? inputs.filter(isInput) : [];
}

function isInput(value: unknown): value is DraftInput {
  return isObject(value) && typeof value['id'] === 'string';
}

function usesInput(text: string, id: string): boolean {
  return text.includes(inputVariable(id));
}

/** Removes the definitions of inputs that only the moved entries used. */
function withoutUnusedInputs(before: string, rest: string): string {
  let text = rest;
  for (const id of namesInConfiguration(rest).inputs) {
    if (!usesInput(before, id) || usesInput(rest, id)) continue;
    const items = new ServerEntries(text).node(['inputs'])?.children ?? [];
    const at = items.findIndex((item) => jsonc.findNodeAtLocation(item, ['id'])?.value === id);
    if (at >= 0) text = withoutEntry(text, ['inputs', at]);
  }
  return text;
}

function notesOf(
  entries: readonly MovedEntry[],
  servers: readonly Server[],
  target: FileSource,
): readonly string[] {
  const variables = entries.flatMap((entry) => entry.variables);
  const defaults = entries.flatMap(({ lostDefaults }) => lostDefaults);
  const hidden = servers.filter(({ configProblems }) =>
    configProblems.some(({ code, source }) => code === 'shadowed' && source !== target),
  );
  return [
    ...(variables.length === 0 ? [] : [variablesToSet(variables)]),
    ...(defaults.length === 0
      ? []
      : [l10n.t('These variables lose their default: {0}', defaults.map(quoted).join(', '))]),
    ...(entries.some(({ inputs }) => inputs.length > 0)
      ? [l10n.t('You are asked for the values of its inputs again.')]
      : []),
    ...(entries.some(({ losesComments }) => losesComments)
      ? [l10n.t('Comments inside the entry are left out, because other programs read plain JSON.')]
      : []),
    ...(servers.some(({ config }) => folderOf(config.source) !== folderOf(target))
      ? [l10n.t('Relative paths and the workspace folder are those of the new location.')]
      : []),
    ...hidden.map(({ config }) =>
      l10n.t(
        '“{0}” is configured in other places too. The first place counts.',
        quoted(config.label),
      ),
    ),
  ];
}
