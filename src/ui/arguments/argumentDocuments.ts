import * as vscode from 'vscode';
import { readArgumentsText } from '../../core/arguments/argumentsJson';
import type { SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/types';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { CallOrigin } from '../../host/call';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { argumentsScheme, commands } from '../../ids';
import { tell } from '../messages';
import { quoted } from '../words/sentences';
import { toolTitle } from '../words/toolTitle';
import { riskWords } from '../words/riskWords';
import { ArgumentFileSystem } from './argumentFileSystem';
import type { ArgumentMemory } from './argumentMemory';
import { findProblems, withoutSyntax } from './argumentDiagnostics';
import { toFileName } from './fileName';
import { closeTabs, onDidCloseLastTab, tabsOfScheme } from './tabs';

/** The tool that a document's arguments are for. */
export interface CallTarget {
  readonly serverId: string;
  readonly toolName: string;
  readonly origin: CallOrigin;
}

export interface ArgumentDocumentsOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly memory: ArgumentMemory;
  /** Calls the tool through the gate and shows how it went. */
  readonly run: (target: CallTarget, value: JsonObject) => Promise<unknown>;
}

interface OpenDocument {
  readonly uri: vscode.Uri;
  readonly target: CallTarget;
  settleTimer: NodeJS.Timeout | undefined;
}

/** Typing pauses for longer than this are when problems are looked for and the text is kept. */
const settleMs = 300;

/**
 * Arguments as JSON documents that live in memory: Run and Cancel on the first line, problems where
 * they are, and the document stays for the next run until it is closed.
 */
export class ArgumentDocuments implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: ArgumentDocumentsOptions;
  readonly #files = new ArgumentFileSystem();
  readonly #documents = new Map<string, OpenDocument>();
  readonly #diagnostics = vscode.languages.createDiagnosticCollection(argumentsScheme);
  readonly #subscriptions: vscode.Disposable;
  #count = 0;

  constructor(options: ArgumentDocumentsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#files,
      this.#diagnostics,
      vscode.workspace.registerFileSystemProvider(argumentsScheme, this.#files, {
        isCaseSensitive: true,
      }),
      vscode.languages.registerCodeLensProvider({ scheme: argumentsScheme }, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#settleSoon(document)),
      onDidCloseLastTab(argumentsScheme, (uri) => this.#forget(uri)),
    );
    // Memory did not survive the reload that brought these back; their text is gone.
    void vscode.window.tabGroups.close(tabsOfScheme(argumentsScheme));
  }

  /** Shows the document that is open for the tool already; tells whether there is one. */
  async reveal({ serverId, toolName }: CallTarget): Promise<boolean> {
    const open = [...this.#documents.values()].find(
      ({ target }) => target.serverId === serverId && target.toolName === toolName,
    );
    if (open === undefined) return false;
    await vscode.window.showTextDocument(open.uri, { preview: false });
    return true;
  }

  /** Opens a new document with `text`, and shows what is wrong with it already. */
  async open(target: CallTarget, text: string): Promise<void> {
    const uri = this.#create(target, text);
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    selectFirstEmptyText(editor);
    this.#showProblems(editor.document);
  }

  /** Calls the tool if the text is valid; otherwise shows where it is not and sends nothing. */
  async run(uri: vscode.Uri): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const problems = this.#showProblems(document);
    const { value } = readArgumentsText(document.getText());
    if (problems.length > 0 || value === undefined) {
      await tellProblems(document, problems);
      return;
    }
    this.#remember(open, document);
    await this.#options.run(open.target, value);
  }

  /** Takes the document away; what was entered is offered the next time. */
  async cancel(uri: vscode.Uri): Promise<void> {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    this.#remember(open, document);
    await document.save();
    await closeTabs(uri);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string) =>
      new vscode.CodeLens(top, { title, command, arguments: [uri] });
    const entry = this.#entry(open.target);
    return [
      lens(runTitle(open.target, entry, this.#serverLabel(open.target)), commands.runArguments),
      lens(vscode.l10n.t('$(close) Cancel'), commands.cancelArguments),
      ...(entry === undefined ? [] : [lens(riskWords(entry.risk), '')]),
    ];
  }

  dispose(): void {
    for (const { settleTimer } of this.#documents.values()) clearTimeout(settleTimer);
    this.#documents.clear();
    this.#subscriptions.dispose();
  }

  #create(target: CallTarget, text: string): vscode.Uri {
    this.#count += 1;
    const path = `/${this.#count}/${toFileName(target.toolName)}.arguments.jsonc`;
    const uri = vscode.Uri.from({ scheme: argumentsScheme, path });
    this.#files.create(uri, text);
    this.#documents.set(uri.toString(), { uri, target, settleTimer: undefined });
    return uri;
  }

  /** The tool as it is now, because a document can outlive what it was made for. */
  #entry({ serverId, toolName }: CallTarget): ToolEntry | undefined {
    const tools = this.#options.registry.find(serverId)?.tools ?? [];
    return tools.find(({ tool }) => tool.name === toolName && tool.callable);
  }

  #serverLabel({ serverId }: CallTarget): string {
    return this.#options.registry.find(serverId)?.config.label ?? serverId;
  }

  #settleSoon(document: vscode.TextDocument): void {
    const open = this.#documents.get(document.uri.toString());
    if (open === undefined) return;
    clearTimeout(open.settleTimer);
    open.settleTimer = setTimeout(() => void this.#settle(document), settleMs);
  }

  async #settle(document: vscode.TextDocument): Promise<void> {
    if (document.isClosed) return;
    this.#showProblems(document);
    // Kept without being asked: a document that is not saved asks when it is closed.
    if (document.isDirty) await document.save();
  }

  #showProblems(document: vscode.TextDocument): readonly vscode.Diagnostic[] {
    const open = this.#documents.get(document.uri.toString());
    if (open === undefined) return [];
    const schema = this.#entry(open.target)?.tool.inputSchema;
    const problems = findProblems(document, schema, this.#options.validator);
    this.#diagnostics.set(document.uri, withoutSyntax(problems));
    return problems;
  }

  #remember({ target }: OpenDocument, document: vscode.TextDocument): void {
    const { serverId, toolName } = target;
    this.#options.memory.set(serverId, toolName, { kind: 'text', text: document.getText() });
  }

  #forget(uri: vscode.Uri): void {
    const open = this.#documents.get(uri.toString());
    if (open === undefined) return;
    clearTimeout(open.settleTimer);
    const key = uri.toString();
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === key);
    if (document !== undefined) this.#remember(open, document);
    this.#documents.delete(uri.toString());
    this.#diagnostics.delete(uri);
    this.#files.forget(uri);
  }
}

const maxTitleChars = 60;

function runTitle(target: CallTarget, entry: ToolEntry | undefined, server: string): string {
  const tool = entry === undefined ? target.toolName : toolTitle(entry.tool);
  return vscode.l10n.t('$(play) Run “{0}” on “{1}”', lensText(tool), lensText(server));
}

function lensText(text: string): string {
  return withoutIcons(visibleText(text, maxTitleChars));
}

/** Where typing most likely begins. */
function selectFirstEmptyText(editor: vscode.TextEditor): void {
  const offset = editor.document.getText().indexOf(': ""');
  if (offset < 0) return;
  const place = editor.document.positionAt(offset + ': "'.length);
  editor.selection = new vscode.Selection(place, place);
}

async function tellProblems(
  document: vscode.TextDocument,
  problems: readonly vscode.Diagnostic[],
): Promise<void> {
  const [first] = problems;
  if (first === undefined) return;
  const { start } = first.range;
  const selection = new vscode.Range(start, start);
  await vscode.window.showTextDocument(document, { preview: false, selection });
  const sentence =
    problems.length === 1
      ? vscode.l10n.t('Nothing was sent. {0}', quoted(first.message))
      : vscode.l10n.t(
          'Nothing was sent: {0} problems. The first one: {1}',
          problems.length,
          quoted(first.message),
        );
  tell('warning', sentence);
}
