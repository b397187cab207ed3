import * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import type { ExpectationFailure } from '../../core/callFiles/expectations';
import { readOutline } from '../../core/callFiles/runbook';
import { readCallFile } from '../../core/callFiles/parseCallFile';
import { isContainer } from '../../core/json/shapes';
import { parseJson } from '../../core/json/parseJson';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { ConnectionLog } from '../../core/log';
import { visibleText } from '../../core/visibleText';
import { unmetContext } from '../../ids';
import {
  callFilePattern,
  searchCallFiles,
  isCallFile,
  openCallFiles,
  readCallText,
  readDocument,
} from '../callFiles/callFileDocuments';
import { problemSentence, failureSentence } from '../callFiles/formatCallFileProblem';
import { exists } from '../editor/configurationFiles';
import { Debouncer } from '../editor/debouncer';
import { TextPlaces, rangeOf } from '../editor/textPlaces';
import { labelText } from '../format/labelText';

/** Maximum number of files. */
const maxFiles = 1_000;
const quietMs = 300;

/** The calls of one file that are to be run. */
export interface FileTests {
  readonly uri: vscode.Uri;
  /** Items by the name of their call, in the order of the file. */
  readonly items: ReadonlyMap<string, vscode.TestItem>;
}

/** The call files of the workspace as items of the Test Explorer, with their calls below them. */
export class TestItems implements vscode.Disposable {
  readonly #controller: vscode.TestController;
  readonly #log: Pick<ConnectionLog, 'warn'>;
  readonly #names = new WeakMap<vscode.TestItem, string>();
  readonly #servers = new WeakMap<vscode.TestItem, string>();
  readonly #subscriptions: vscode.Disposable[] = [];
  readonly #typed = new Set<string>();
  readonly #quiet = new Debouncer(() => void this.#readTyped(), quietMs);
  #isWatching = false;

  readonly #onDidChangeFile = new vscode.EventEmitter<vscode.Uri>();
  /** Fires when a known file was written, in the editor or outside. */
  readonly onDidChangeFile = this.#onDidChangeFile.event;

  readonly #onDidDeleteFile = new vscode.EventEmitter<vscode.Uri>();
  /** Fires when a file was deleted. */
  readonly onDidDeleteFile = this.#onDidDeleteFile.event;

  constructor(controller: vscode.TestController, log: Pick<ConnectionLog, 'warn'>) {
    this.#controller = controller;
    this.#log = log;
    this.#subscriptions.push(
      this.#onDidChangeFile,
      this.#onDidDeleteFile,
      this.#quiet,
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
        if (this.#find(uri) === undefined) return;
        this.#typed.add(uri.toString());
        this.#quiet.start();
      }),
    );
  }

  /**
   * Finds all files of the workspace, at most 1,000. Their content is read when the user opens
   * them.
   */
  async findAll(token?: vscode.CancellationToken): Promise<void> {
    this.#watch();
    const before = [...this.#controller.items].map(([id]) => id);
    const found = await searchCallFiles(maxFiles + 1, token);
    if (token?.isCancellationRequested === true) return;
    const files = found.slice(0, maxFiles);
    if (found.length > files.length) {
      this.#log.warn(`Of more than ${maxFiles} call files the others are no tests.`);
    }
    const ids = new Set(files.map(String));
    // Files that were created during the search may be missing in its result.
    for (const id of before) if (!ids.has(id)) this.#controller.items.delete(id);
    for (const uri of files) this.#add(uri);
    await this.#readOpen();
  }

  /** An opened file is added immediately, so that its calls have their icons. */
  async addOpen(document: vscode.TextDocument): Promise<void> {
    const { uri } = document;
    if (!isCallFile(document) || !isOfWorkspace(uri)) return;
    this.#watch();
    const item = this.#add(uri);
    if (item !== undefined) await this.read(item);
  }

  /** Reads the calls of a file again. Calls that still exist keep their items. */
  async read(item: vscode.TestItem): Promise<void> {
    const { uri } = item;
    if (uri === undefined || item.parent !== undefined) return;
    const read = await readCallText(uri);
    if (typeof read === 'object') {
      item.error = read.problem;
      item.children.replace([]);
      return;
    }
    const places = new TextPlaces(read);
    const [problem] = readCallFile(read).problems;
    item.error = problem === undefined ? undefined : problemSentence(problem);
    // A duplicate name, as while copying a call, gives one item, because VS Code requires unique
    // ids.
    const calls = new Map<string, vscode.TestItem>();
    for (const [index, { name, server = '', target = '', whole }] of readOutline(
      read,
    ).calls.entries()) {
      // VS Code refuses some characters in an id.
      const id = `call:${JSON.stringify(name)}`;
      const label = labelText(name === '' ? target : name);
      const call = item.children.get(id) ?? this.#controller.createTestItem(id, label, uri);
      call.label = label;
      call.range = places.range(whole);
      call.sortText = String(index).padStart(6, '0');
      this.#names.set(call, name);
      this.#servers.set(call, server);
      calls.set(id, call);
    }
    item.children.replace([...calls.values()]);
  }

  /** Returns what is to be run, with the current content of the files. */
  async testsOf({ include, exclude }: vscode.TestRunRequest): Promise<readonly FileTests[]> {
    if (include === undefined) await this.findAll();
    const wanted = include ?? [...this.#controller.items].map(([, item]) => item);
    const left = new Set(exclude);
    const files = new Map<string, { readonly uri: vscode.Uri; readonly calls: Set<string> }>();
    for (const item of wanted) {
      const { uri } = item;
      const file = item.parent ?? item;
      if (uri === undefined || left.has(file)) continue;
      if (item === file) await this.read(file);
      const calls = item === file ? [...file.children].map(([, call]) => call) : [item];
      const known = files.get(file.id) ?? { uri, calls: new Set() };
      for (const call of calls) if (!left.has(call)) known.calls.add(call.id);
      files.set(file.id, known);
    }
    return [...files].map(([id, { uri, calls }]) => {
      const children = [...(this.#controller.items.get(id)?.children ?? [])];
      const chosen = children.filter(([call]) => calls.has(call)).map(([, call]) => call);
      return { uri, items: new Map(chosen.map((call) => [this.nameOf(call) ?? '', call])) };
    });
  }

  /** Returns the items of all calls that have been read. */
  all(): readonly vscode.TestItem[] {
    return [...this.#controller.items].flatMap(([, file]) =>
      [...file.children].map(([, call]) => call),
    );
  }

  /** Returns the requested items of the file with this id. */
  chosen(id: string, { include }: vscode.TestRunRequest): readonly vscode.TestItem[] {
    const file = this.#controller.items.get(id);
    if (file === undefined) return [];
    if (include === undefined || include.includes(file)) return [file];
    return include.filter(({ parent }) => parent === file);
  }

  /** Returns the files with requested items. Files that were not read yet are read. */
  async filesWith(request: vscode.TestRunRequest): Promise<readonly vscode.TestItem[]> {
    if (request.include === undefined) await this.findAll();
    const files = [...this.#controller.items].map(([, file]) => file);
    const chosen = files.filter(({ id }) => this.chosen(id, request).length > 0);
    for (const file of chosen) {
      if (file.children.size === 0 && file.error === undefined) await this.read(file);
    }
    return chosen;
  }

  /** Returns the server that the file names for a call, or `undefined` for a file. */
  serverOf(item: vscode.TestItem): string | undefined {
    return this.#servers.get(item);
  }

  /** Returns the name of the call in its file, or `undefined` for a file. */
  nameOf(item: vscode.TestItem): string | undefined {
    return this.#names.get(item);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #find(uri: vscode.Uri): vscode.TestItem | undefined {
    return this.#controller.items.get(uri.toString());
  }

  #add(uri: vscode.Uri): vscode.TestItem | undefined {
    const known = this.#find(uri);
    if (known !== undefined || this.#controller.items.size >= maxFiles) return known;
    const label = labelText(vscode.workspace.asRelativePath(uri));
    const item = this.#controller.createTestItem(uri.toString(), label, uri);
    item.canResolveChildren = true;
    this.#controller.items.add(item);
    return item;
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const watcher = vscode.workspace.createFileSystemWatcher(callFilePattern);
    const changed = async (uri: vscode.Uri): Promise<void> => {
      if (uri.path.includes('/node_modules/')) return;
      const item = this.#add(uri);
      if (item === undefined) return;
      // The file has not been read yet.
      if (item.children.size > 0 || item.error !== undefined) await this.read(item);
      this.#onDidChangeFile.fire(uri);
    };
    this.#subscriptions.push(
      watcher,
      watcher.onDidCreate(changed),
      watcher.onDidChange(changed),
      watcher.onDidDelete((uri) => {
        this.#controller.items.delete(uri.toString());
        this.#onDidDeleteFile.fire(uri);
      }),
    );
  }

  async #readOpen(): Promise<void> {
    for (const document of openCallFiles()) {
      // VS Code keeps the text of a deleted file for a while.
      if (await exists(document.uri)) await this.addOpen(document);
    }
  }

  async #readTyped(): Promise<void> {
    const typed = [...this.#typed];
    this.#typed.clear();
    for (const id of typed) {
      const item = this.#controller.items.get(id);
      if (item !== undefined) await this.read(item);
    }
  }
}

function isOfWorkspace(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

/** A longer answer can be read in its document. */
const maxTextChars = 500_000;

/** Returns the position of a part of a call in its file. The pointer is relative to the call. */
export function testPosition(
  document: vscode.TextDocument,
  call: Pick<FileCall, 'pointer'>,
  pointer = '',
): vscode.Location {
  const { placeOf } = readDocument(document);
  return new vscode.Location(
    document.uri,
    rangeOf(document, placeOf(`${call.pointer}${pointer}`)).start,
  );
}

/** Shows what differs at the line that expects it, with both texts for the diff editor. */
export function failureMessage(
  document: vscode.TextDocument,
  call: FileCall,
  failure: ExpectationFailure,
): vscode.TestMessage {
  const { expected, actual, pointer, code } = failure;
  const sentence = failureSentence(failure);
  const message =
    expected === undefined || actual === undefined
      ? new vscode.TestMessage(sentence)
      : vscode.TestMessage.diff(sentence, shown(expected), shown(actual));
  message.location = testPosition(document, call, `/expect${pointer}`);
  if (canBeAccepted(code)) message.contextValue = unmetContext;
  return message;
}

/** Says why there is no answer to compare. */
export function plainTestMessage(location: vscode.Location, text: string): vscode.TestMessage {
  const message = new vscode.TestMessage(shown(text));
  message.location = location;
  return message;
}

const acceptable: ReadonlySet<ExpectationFailure['code']> = new Set([
  'answer',
  'value',
  'isError',
  'isNoError',
  'outputSchema',
  'outputMissing',
  'noViolation',
]);

/** True if the failure is about the answer, so that the answer can become the expected one. */
export function canBeAccepted(code: ExpectationFailure['code']): boolean {
  return acceptable.has(code);
}

/** The text is split into lines for the diff; hidden characters of server text are shown. */
function shown(text: string): string {
  return visibleText(indented(text), maxTextChars, { newlines: 'keep' });
}

function indented(text: string): string {
  if (text.includes('\n') || text.length > maxTextChars) return text;
  try {
    const value = parseJson(text);
    return isContainer(value) ? stringifyExactly(value, 2) : text;
  } catch {
    // It is a cut value, or not JSON.
    return text;
  }
}
