import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { readArgumentsText } from '../../core/arguments/argumentsJson';
import type { SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { argumentsScheme, internalCommands } from '../../ids';
import { isLookedAt } from '../editor/inFront';
import { findProblemsSoon, isLarge, judgeDocument, withoutSyntax } from './argumentDiagnostics';
import { selectLikelyValue, selectNextValue, tellProblems } from './argumentEditor';
import { ArgumentFileSystem } from './argumentFileSystem';
import { argumentLenses } from './argumentLenses';
import type { ArgumentMemory } from './argumentMemory';
import { ArgumentSchemas } from './argumentSchemas';
import { toFileName } from './fileName';
import { keepDocument } from './keepDocument';
import { closeTabs, onDidCloseLastTab, tabsOfScheme, textDocumentOf } from './tabs';
import { argumentFileOptions, registerFiles } from '../editor/fileSystems';

/** The tool that a document's arguments are for. */
export interface CallTarget {
  readonly serverId: string;
  readonly toolName: string;
  readonly origin: CallOrigin;
  /** An agent or extension wrote the arguments: they are no offer for the person's next call. */
  readonly isOfOthers?: true;
}

export interface ArgumentDocumentsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'onDidChange'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly memory: ArgumentMemory;
  /** Calls the tool through the gate and shows how it went. */
  readonly run: (target: CallTarget, value: JsonObject) => Promise<unknown>;
  /** Whether it is the person who wishes that, where nobody named the document. */
  readonly isOwn: (target: CallTarget, value: JsonObject, isAnswer: boolean) => Promise<boolean>;
}

export interface ReadDocument {
  readonly target: CallTarget;
  /** Absent where the text is not the JSON of arguments. */
  readonly value: JsonObject | undefined;
}

interface OpenDocument extends Pick<ReadDocument, 'target'> {
  readonly uri: vscode.Uri;
  /** Where its schema is for VS Code's JSON language service. */
  readonly slot: number;
  /** For arguments that somebody waits for: Run hands them over instead of calling the tool. */
  readonly answer?: (value: JsonObject | undefined) => void;
  settleTimer: NodeJS.Timeout | undefined;
  /** A text that is kept after its editor was closed would bring the editor back. */
  isClosing: boolean;
}

/** Typing pauses for longer than this are when problems are looked for and the text is kept. */
const settleMs = 300;
/** Keeping a large text costs so much that nobody should wait for it twice. */
const settleLargeMs = 2_000;

/**
 * Arguments as JSON documents that live in memory: Run and Cancel on the first line, names and
 * values proposed by the tool's schema, problems where they are, and the document stays for the
 * next run until it is closed. When the tool changes, so do proposals and problems.
 */
export class ArgumentDocuments implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: ArgumentDocumentsOptions;
  readonly #files = new ArgumentFileSystem();
  readonly #schemas = new ArgumentSchemas();
  readonly #documents = new Map<string, OpenDocument>();
  readonly #diagnostics = vscode.languages.createDiagnosticCollection(argumentsScheme);
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(options: ArgumentDocumentsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#files,
      this.#schemas,
      this.#diagnostics,
      this.#onDidChangeCodeLenses,
      options.registry.onDidChange((change) =>
        this.#followTools(change.kind === 'servers' ? undefined : change.id),
      ),
      registerNextValue(1),
      registerNextValue(-1),
      registerFiles(argumentsScheme, this.#files, argumentFileOptions),
      vscode.languages.registerCodeLensProvider({ scheme: argumentsScheme }, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#settleSoon(document)),
      onDidCloseLastTab(argumentsScheme, (uri) => this.#forget(uri)),
    );
    // Memory did not survive the reload that brought these back; their text is gone.
    void vscode.window.tabGroups.close(tabsOfScheme(argumentsScheme));
  }

  /** Shows the person's document that is open for the tool already; tells whether there is one. */
  async reveal({ serverId, toolName }: CallTarget): Promise<boolean> {
    const open = [...this.#documents.values()].find(({ target, answer }) => {
      const isOwn = answer === undefined && target.isOfOthers !== true;
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
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    selectLikelyValue(editor, property);
    this.#showProblems(editor.document, true);
  }

  /**
   * Opens `text` as a document whose first button hands over its arguments, once they are valid.
   * Resolves with `undefined` when it is closed or cancelled; the token takes it away.
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
   * Calls the tool if the text is valid; otherwise shows where it is not and sends nothing. What is
   * not in front is only brought there: nobody calls what the person does not see. `isNamed`: whoever
   * wants it knew the name of the document, which cannot be guessed.
   */
  async run(uri: vscode.Uri, isNamed: boolean): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open === undefined || !(await isLookedAt(uri))) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const { validator } = this.#options;
    const { value, problems } = judgeDocument(document, this.#schema(open), validator);
    this.#diagnostics.set(uri, withoutSyntax(problems));
    if (problems.length > 0 || value === undefined) {
      await tellProblems(document, problems);
      return;
    }
    this.#remember(open, document);
    const isAnswer = open.answer !== undefined;
    if (!isNamed && !(await this.#options.isOwn(open.target, value, isAnswer))) return;
    if (open.answer !== undefined) open.answer(value);
    else await this.#options.run(open.target, value);
  }

  /** Takes the document away; what was entered is offered the next time. */
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

  /** The call that the document belongs to, and its text as the arguments that it means. */
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
    // Another one each time, because VS Code keeps a document for minutes after its editor was
    // closed; and not to be guessed, because links can name documents to commands.
    const authority = `${slot}.${randomUUID()}`;
    const label = this.#options.registry.find(target.serverId)?.config.label ?? target.serverId;
    // Seen above the editor, and where two tabs have the same title.
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

  /** Saved first: a document with changes asks when it is closed. */
  async #close(uri: vscode.Uri): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open !== undefined) open.isClosing = true;
    clearTimeout(open?.settleTimer);
    const document = await vscode.workspace.openTextDocument(uri);
    await keepDocument(document);
    await closeTabs(uri);
  }

  /** The tool as it is now, because a document can outlive what it was made for. */
  #entry({ serverId, toolName }: CallTarget): ToolEntry | undefined {
    const tools = this.#options.registry.find(serverId)?.tools ?? [];
    return tools.find(({ tool }) => tool.name === toolName && tool.callable);
  }

  #schema({ target }: OpenDocument): JsonObject | undefined {
    return this.#entry(target)?.tool.inputSchema;
  }

  /** Without an id, tools of any server may have changed. */
  #followTools(serverId: string | undefined): void {
    for (const open of this.#documents.values()) {
      if (serverId !== undefined && open.target.serverId !== serverId) continue;
      const schema = this.#schema(open);
      // Of a tool that is gone for now, the proposals stay.
      if (schema !== undefined) this.#schemas.show(open.slot, schema);
      const document = textDocumentOf(open.uri);
      if (document !== undefined) this.#showProblems(document, true);
    }
    if (this.#documents.size > 0) this.#onDidChangeCodeLenses.fire();
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
    // Kept without being asked: a document that is not saved asks when it is closed.
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
    if (target.isOfOthers === true) return;
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
    this.#files.forget(uri);
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
