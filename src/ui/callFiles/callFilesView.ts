import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { readOutline, type OutlinedCall } from '../../core/callFiles/runbook';
import { contextValues, views } from '../../ids';
import { Debouncer } from '../editor/debouncer';
import { markOwnArgument, rowId } from '../editor/ownArguments';
import { TextPlaces } from '../editor/textPlaces';
import { labelText } from '../format/labelText';
import { callFilePattern, searchCallFiles, isCallFile, readCallText } from './callFileDocuments';

/** A call file, or one of its calls. Commands get these rows from the view. */
interface CallFileRow {
  readonly uri: vscode.Uri;
  /** Absent for the file; `''` for the only call of a file without names. */
  readonly callName?: string;
}

interface ShownCall extends CallFileRow {
  readonly call: OutlinedCall;
  readonly range: vscode.Range;
}

/** Maximum number of files. */
const maxFiles = 1_000;
const quietMs = 300;

/**
 * The view `Call Files`: the call files of the workspace with their calls. Searches when the view is
 * first opened, and follows changes from then on. VS Code forgets all rows at a refresh until it has
 * them again, and a button that is pressed meanwhile has no row. So they are read before it is told.
 */
export class CallFilesView
  implements vscode.TreeDataProvider<CallFileRow | ShownCall>, vscode.Disposable
{
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #changed = new Debouncer(() => void this.#readAgain(), quietMs);
  readonly #subscriptions: vscode.Disposable[];
  #isWatching = false;
  /** Absent if they must be searched for again. */
  #files: readonly CallFileRow[] | undefined;
  /** Calls of the files that were opened, by the URI of the file. */
  #calls: ReadonlyMap<string, readonly ShownCall[]> = new Map();
  /** A read that another one follows counts for nothing. */
  #reads = 0;

  constructor() {
    this.#subscriptions = [
      this.#onDidChange,
      this.#changed,
      vscode.window.registerTreeDataProvider(views.callFiles, this),
    ];
  }

  async getChildren(row?: CallFileRow): Promise<(CallFileRow | ShownCall)[]> {
    this.#watch();
    const reads = this.#reads;
    if (row === undefined) {
      const files = this.#files ?? (await findRows());
      if (reads === this.#reads) this.#files = files;
      return [...files];
    }
    const key = row.uri.toString();
    const calls = this.#calls.get(key) ?? (await callsOf(row.uri));
    if (reads === this.#reads) this.#calls = new Map(this.#calls).set(key, calls);
    return [...calls];
  }

  getTreeItem(row: CallFileRow | ShownCall): vscode.TreeItem {
    return 'call' in row ? callItem(row) : fileItem(row);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #readAgain(): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    const files = this.#files ?? (await findRows());
    const opened = files.filter(({ uri }) => this.#calls.has(uri.toString()));
    const calls = await Promise.all(
      opened.map(async ({ uri }) => [uri.toString(), await callsOf(uri)] as const),
    );
    if (read !== this.#reads) return;
    this.#files = files;
    this.#calls = new Map(calls);
    this.#onDidChange.fire();
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const watcher = vscode.workspace.createFileSystemWatcher(callFilePattern);
    const changed = (): void => this.#changed.start();
    const search = (): void => {
      this.#reads += 1;
      this.#files = undefined;
      changed();
    };
    this.#subscriptions.push(
      watcher,
      watcher.onDidCreate(search),
      watcher.onDidChange(changed),
      watcher.onDidDelete(search),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isCallFile(document)) changed();
      }),
    );
  }
}

/** Returns the row of a command's argument. */
export function callFileRowOf(argument: unknown): CallFileRow | undefined {
  if (typeof argument !== 'object' || argument === null || !('uri' in argument)) return undefined;
  const { uri } = argument;
  const callName = 'callName' in argument ? argument.callName : undefined;
  if (!(uri instanceof vscode.Uri)) return undefined;
  return typeof callName === 'string' ? { uri, callName } : { uri };
}

async function findRows(): Promise<readonly CallFileRow[]> {
  const found = await searchCallFiles(maxFiles);
  return found
    .map((uri) => markOwnArgument({ uri }))
    .toSorted((one, other) => one.uri.path.localeCompare(other.uri.path));
}

async function callsOf(uri: vscode.Uri): Promise<ShownCall[]> {
  const text = await readCallText(uri);
  if (typeof text === 'object') return [];
  const places = new TextPlaces(text);
  return readOutline(text).calls.map((call) =>
    markOwnArgument({ uri, callName: call.name, call, range: places.range(call.whole) }),
  );
}

function fileItem({ uri }: CallFileRow): vscode.TreeItem {
  const name = labelText(vscode.workspace.asRelativePath(uri));
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = rowId(uri.toString());
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = contextValues.callFile;
  item.tooltip = name;
  return item;
}

function callItem({ uri, call, range }: ShownCall): vscode.TreeItem {
  const { name, server = '', target = '' } = call;
  const label = labelText(name === '' ? target : name);
  const item = new vscode.TreeItem(label);
  item.id = rowId(JSON.stringify([uri.toString(), name]));
  const place = [...(name === '' ? [] : [target]), server]
    .map((part) => labelText(part))
    .filter((part) => part !== '');
  item.description = place.join(' · ');
  item.iconPath = new vscode.ThemeIcon('symbol-method');
  item.contextValue = contextValues.fileCall;
  item.tooltip = [label, ...place].join(' · ');
  const selection = new vscode.Range(range.start, range.start);
  item.command = {
    title: l10n.t('Open Call File'),
    command: 'vscode.open',
    arguments: [uri, { selection, preserveFocus: true, preview: true }],
  };
  return item;
}
