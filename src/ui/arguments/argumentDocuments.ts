import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { readArgumentsText } from '../../core/arguments/argumentsJson';
import type { SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { argumentsScheme, internalCommands } from '../../ids';
import { registerCodeLenses } from '../editor/codeLenses';
import { bringToFront } from '../editor/inFront';
import { findProblemsSoon, isLarge, checkDocument, withoutSyntax } from './argumentDiagnostics';
import { likelyValue, selectNextValue, notifyProblems, argumentLenses } from './argumentEditor';
import { ArgumentFileSystem, ArgumentSchemas } from './argumentFileSystem';
import type { ArgumentMemory } from './argumentMemory';
import { toFileName } from '../editor/fileName';
import { closeTabs, onDidCloseLastTab, tabsOfScheme, textDocumentOf } from './tabs';
import { argumentFileOptions, registerFiles } from '../editor/fileSystems';
import { setTimeout as delay } from 'node:timers/promises';

/** The tool that a document's arguments are for. */
export interface CallTarget {
  readonly serverId: string;
  readonly toolName: string;
  readonly origin: CallOrigin;
  /**
   * An agent or extension wrote the arguments, so they are not offered for the user's next call.
   */
  readonly isForeign?: true;
}

interface ArgumentDocumentsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'onDidChange'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly memory: ArgumentMemory;
  /** Calls the tool through the gate and shows the result. */
  readonly run: (target: CallTarget, value: JsonObject) => Promise<unknown>;
  /** Asks whether the user wants the call. Used if the command did not name the document. */
  readonly isOwn: (target: CallTarget, value: JsonObject, isAnswer: boolean) => Promise<boolean>;
}

interface ReadDocument {
  readonly target: CallTarget;
  /** Absent if the text is not a JSON object. */
  readonly value: JsonObject | undefined;
}

interface OpenDocument extends Pick<ReadDocument, 'target'> {
  readonly uri: vscode.Uri;
  /** The slot of its schema in VS Code's JSON language service. */
  readonly slot: number;
  /** If present, Run passes the arguments to it instead of calling the tool. */
  readonly answer?: (value: JsonObject | undefined) => void;
  settleTimer: NodeJS.Timeout | undefined;
  /** True while the document is being closed. Saving it after that would open its editor again. */
  isClosing: boolean;
}

/** Problems are looked for and the text is saved after a pause of this length, in milliseconds. */
const settleMs = 300;
/** The pause for a large text, because saving it is slow. */
const settleLargeMs = 2_000;

/**
 * JSON documents in memory for the arguments of calls. Run and Cancel are on the first line, the
 * tool's schema completes names and values, and problems are shown at their place. A document stays
 * for the next run until it is closed. If the tool changes, completions and problems follow.
 */
export class ArgumentDocuments implements vscode.Disposable {
  readonly #options: ArgumentDocumentsOptions;
  readonly #files = new ArgumentFileSystem();
  readonly #schemas = new ArgumentSchemas();
  readonly #documents = new Map<string, OpenDocument>();
  readonly #diagnostics = vscode.languages.createDiagnosticCollection(argumentsScheme);
  readonly #subscriptions: vscode.Disposable;

  readonly #lenses = registerCodeLenses({ scheme: argumentsScheme }, this);

  constructor(options: ArgumentDocumentsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#files,
      this.#schemas,
      this.#diagnostics,
      options.registry.onDidChange((change) =>
        this.#followTools(change.kind === 'servers' ? undefined : change.id),
      ),
      registerNextValue(1),
      registerNextValue(-1),
      registerFiles(argumentsScheme, this.#files, argumentFileOptions),
      this.#lenses,
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#settleSoon(document)),
      onDidCloseLastTab(argumentsScheme, (uri) => this.#forget(uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        // VS Code also reports this if the language of a document changes.
        if (!this.#documents.has(uri.toString())) this.#files.forget(uri);
      }),
    );
    // After a reload the documents in memory are gone, so their restored tabs are closed.
    void vscode.window.tabGroups.close(tabsOfScheme(argumentsScheme));
  }

  /** Shows the user's open document for the tool. Returns false if there is none. */
  async reveal({ serverId, toolName }: CallTarget): Promise<boolean> {
    const open = [...this.#documents.values()].find(({ target, answer }) => {
      const isOwn = answer === undefined && target.isForeign !== true;
      return isOwn && target.serverId === serverId && target.toolName === toolName;
    });
    if (open === undefined) return false;
    await vscode.window.showTextDocument(open.uri, { preview: false });
    return true;
  }

  /**
   * Opens a new document with `text`, and shows what is wrong with it already. The value of `property`
   * is selected, so that it can be typed over.
   */
  async open(target: CallTarget, text: string, property?: string): Promise<void> {
    const uri = this.#create(target, text);
    const document = await vscode.workspace.openTextDocument(uri);
    // A key that comes as soon as the editor is there already replaces the selected value.
    const selection = likelyValue(document, property);
    const shown = { preview: false, ...(selection === undefined ? {} : { selection }) };
    await vscode.window.showTextDocument(document, shown);
    this.#showProblems(document, true);
  }

  /**
   * Opens `text` as a document. Its first button returns the arguments once they are valid.
   * Resolves with `undefined` if it is closed or cancelled. The token closes it.
   */
  async edit(
    target: CallTarget,
    text: string,
    token: vscode.CancellationToken,
  ): Promise<JsonObject | undefined> {
    let answer: OpenDocument['answer'];
    const answered = new Promise<JsonObject | undefined>((resolve) => {
      answer = resolve;
    });
    const uri = this.#create(target, text, answer);
    const subscription = token.onCancellationRequested(() => answer?.(undefined));
    if (token.isCancellationRequested) answer?.(undefined);
    try {
      const editor = await vscode.window.showTextDocument(uri, { preview: false });
      this.#showProblems(editor.document, true);
      return await answered;
    } finally {
      subscription.dispose();
      await this.#close(uri);
    }
  }

  /**
   * Calls the tool if the text is valid; otherwise shows the problem and sends nothing. A document
   * that is not in front is only brought to the front, because the user must see what is called.
   * `isNamed`: the caller knew the URI of the document, which cannot be guessed.
   */
  async run(uri: vscode.Uri, isNamed: boolean): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open === undefined || !(await bringToFront(uri))) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const { validator } = this.#options;
    const { value, problems, hints } = checkDocument(document, this.#schema(open), validator);
    this.#diagnostics.set(uri, [...withoutSyntax(problems), ...hints]);
    if (problems.length > 0 || value === undefined) {
      await notifyProblems(document, problems);
      return;
    }
    this.#remember(open, document);
    const isAnswer = open.answer !== undefined;
    if (!isNamed && !(await this.#options.isOwn(open.target, value, isAnswer))) return;
    if (open.answer !== undefined) open.answer(value);
    else await this.#options.run(open.target, value);
  }

  /** Closes the document. The entered arguments are offered the next time. */
  async cancel(uri: vscode.Uri): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    this.#remember(open, document);
    await this.#close(uri);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return [];
    const { target, answer } = open;
    return argumentLenses({
      uri,
      toolName: target.toolName,
      serverLabel: this.#options.registry.find(target.serverId)?.config.label ?? target.serverId,
      entry: this.#entry(target),
      isAnswer: answer !== undefined,
    });
  }

  /** Returns the call of the document and its parsed arguments. */
  async read(uri: vscode.Uri): Promise<ReadDocument | undefined> {
    const open = this.#documents.get(uri.toString());
    if (open === undefined || open.answer !== undefined) return undefined;
    const document = await vscode.workspace.openTextDocument(uri);
    const { value } = readArgumentsText(document.getText());
    return { target: open.target, value };
  }

  dispose(): void {
    for (const { settleTimer } of this.#documents.values()) clearTimeout(settleTimer);
    this.#documents.clear();
    this.#subscriptions.dispose();
  }

  #create(target: CallTarget, text: string, answer?: OpenDocument['answer']): vscode.Uri {
    const slot = this.#schemas.take();
    // The authority is new each time, because VS Code keeps a document for minutes after its editor
    // was closed. It is unguessable, because links can pass documents to commands.
    const authority = `${slot}.${randomUUID()}`;
    const label = this.#options.registry.find(target.serverId)?.config.label ?? target.serverId;
    // VS Code shows the path above the editor, and in titles if two tabs have the same name.
    const path = `/${toFileName(label)}/${toFileName(target.toolName)}.arguments.jsonc`;
    const uri = vscode.Uri.from({ scheme: argumentsScheme, authority, path });
    this.#files.create(uri, text);
    const schema = this.#entry(target)?.tool.inputSchema;
    if (schema !== undefined) this.#schemas.show(slot, schema);
    this.#documents.set(uri.toString(), {
      uri,
      target,
      slot,
      settleTimer: undefined,
      isClosing: false,
      ...(answer === undefined ? {} : { answer }),
    });
    return uri;
  }

  /** The document is saved first, because VS Code asks before it closes an unsaved one. */
  async #close(uri: vscode.Uri): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open !== undefined) open.isClosing = true;
    clearTimeout(open?.settleTimer);
    const document = await vscode.workspace.openTextDocument(uri);
    await keepDocument(document);
    await closeTabs(uri);
  }

  /** Looks the tool up each time, because a document can outlive the tool's definition. */
  #entry({ serverId, toolName }: CallTarget): ToolEntry | undefined {
    const tools = this.#options.registry.find(serverId)?.tools ?? [];
    return tools.find(({ tool }) => tool.name === toolName && tool.callable);
  }

  #schema({ target }: OpenDocument): JsonObject | undefined {
    return this.#entry(target)?.tool.inputSchema;
  }

  /** Without an id, the tools of any server may have changed. */
  #followTools(serverId: string | undefined): void {
    for (const open of this.#documents.values()) {
      if (serverId !== undefined && open.target.serverId !== serverId) continue;
      const schema = this.#schema(open);
      // If the tool is gone for now, the old completions stay.
      if (schema !== undefined) this.#schemas.show(open.slot, schema);
      const document = textDocumentOf(open.uri);
      if (document !== undefined) this.#showProblems(document, true);
    }
    if (this.#documents.size > 0) this.#lenses.refresh();
  }

  #settleSoon(document: vscode.TextDocument): void {
    const open = this.#documents.get(document.uri.toString());
    if (open === undefined || open.isClosing) return;
    clearTimeout(open.settleTimer);
    const ms = isLarge(document) ? settleLargeMs : settleMs;
    open.settleTimer = setTimeout(() => void this.#settle(document), ms);
  }

  async #settle(document: vscode.TextDocument): Promise<void> {
    if (document.isClosed) return;
    this.#showProblems(document, false);
    // The document is saved automatically, because VS Code asks before it closes an unsaved one.
    await keepDocument(document);
  }

  #showProblems(document: vscode.TextDocument, isOpening: boolean): void {
    const open = this.#documents.get(document.uri.toString());
    if (open === undefined) return;
    const { validator } = this.#options;
    const problems = findProblemsSoon(document, this.#schema(open), validator, isOpening);
    this.#diagnostics.set(document.uri, withoutSyntax(problems));
  }

  #remember({ target }: OpenDocument, document: vscode.TextDocument): void {
    if (target.isForeign === true) return;
    const text = { kind: 'text', text: document.getText() } as const;
    this.#options.memory.set(target.serverId, target.toolName, text);
  }

  #forget(uri: vscode.Uri): void {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return;
    clearTimeout(open.settleTimer);
    open.answer?.(undefined);
    const document = textDocumentOf(uri);
    if (document !== undefined) this.#remember(open, document);
    this.#documents.delete(uri.toString());
    this.#schemas.free(open.slot);
    this.#diagnostics.delete(uri);
    this.#files.close(uri);
    if (document === undefined) this.#files.forget(uri);
  }
}

/** Tab and Shift+Tab in a document of arguments go from value to value. */
function registerNextValue(step: 1 | -1): vscode.Disposable {
  const command = step === 1 ? internalCommands.nextValue : internalCommands.previousValue;
  return vscode.commands.registerCommand(command, () => {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme === argumentsScheme) selectNextValue(editor, step);
  });
}

/** Before each further attempt the pause is doubled, about 5 s in total. */
const firstPauseMs = 10;
const maxTries = 10;
const savings = new WeakMap<vscode.TextDocument, Promise<void>>();

/**
 * Saves the document until it has no changes. It does not rely on `isDirty`, which is false after
 * every save, even if the user kept typing during it. Saves run one after the other, because VS
 * Code abandons both of two that overlap. It tries several times, because VS Code also saves
 * automatically and a formatter may take its time.
 */
function keepDocument(document: vscode.TextDocument): Promise<void> {
  const kept = (savings.get(document) ?? Promise.resolve()).then(() => keep(document));
  savings.set(
    document,
    kept.catch(() => undefined),
  );
  return kept;
}

async function keep(document: vscode.TextDocument): Promise<void> {
  // Saving a closed document would throw.
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (tries > 0) await delay(firstPauseMs * 2 ** (tries - 1));
    if (document.isClosed || (await document.save())) return;
  }
}
