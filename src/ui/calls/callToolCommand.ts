import * as vscode from 'vscode';
import type { SchemaValidator } from '../../core/schema/schema';
import type { CallOrigin } from '../../host/call';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { commands, reviewScheme } from '../../ids';
import { ArgumentDocuments, type CallTarget } from '../arguments/argumentDocuments';
import { ArgumentEntry } from '../arguments/argumentEntry';
import { ArgumentMemory } from '../arguments/argumentMemory';
import { CallRunner, type CallRunnerOptions } from './callRunner';
import { commandTarget } from '../commandTarget';
import type { CallReviews } from './confirmReview';
import { tell } from '../messages';
import { quoted } from '../words/sentences';
import type { ServerActions } from '../servers/serverActions';
import { pickTool } from './toolPicker';

export interface CallToolParts extends CallRunnerOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly reviews: Pick<CallReviews, 'answer'>;
}

/** From the wish to call a tool to the gate: which tool, with which arguments. */
export class CallToolCommand implements vscode.Disposable {
  readonly #parts: CallToolParts;
  readonly #runner: CallRunner;
  readonly #documents: ArgumentDocuments;
  readonly #entry: ArgumentEntry;

  constructor(parts: CallToolParts) {
    const { registry, validator } = parts;
    const memory = new ArgumentMemory();
    this.#parts = parts;
    this.#runner = new CallRunner(parts);
    this.#documents = new ArgumentDocuments({
      registry,
      validator,
      memory,
      run: (target, value) => this.#runner.run(target, value),
    });
    this.#entry = new ArgumentEntry({ validator, memory, documents: this.#documents });
  }

  /** The commands Call Tool…, and Run and Cancel of the documents that belong to calls. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.callTool, (argument: unknown) =>
        this.begin(argument),
      ),
      vscode.commands.registerCommand(commands.runArguments, (argument: unknown) =>
        this.#runDocument(documentUri(argument)),
      ),
      vscode.commands.registerCommand(commands.cancelArguments, (argument: unknown) =>
        this.#cancelDocument(documentUri(argument)),
      ),
    );
  }

  /** From a row of the tree, or, without one, from a picker. Resolves when the call is over. */
  async begin(argument?: unknown): Promise<void> {
    const { serverId, toolName } = commandTarget(argument);
    if (serverId !== undefined && toolName !== undefined) {
      const entry = await this.#findTool(serverId, toolName);
      if (entry !== undefined) await this.#call(entry, 'tree');
      return;
    }
    const entry = await pickTool(this.#parts);
    if (entry !== undefined) await this.#call(entry, 'palette');
  }

  dispose(): void {
    this.#documents.dispose();
  }

  async #call(entry: ToolEntry, origin: CallOrigin): Promise<void> {
    const { registry } = this.#parts;
    const { serverId, tool } = entry;
    const target: CallTarget = { serverId, toolName: tool.name, origin };
    const label = registry.find(serverId)?.config.label ?? serverId;
    const value = await this.#entry.enter(target, entry, label);
    if (value === undefined) return;
    const outcome = await this.#runner.run(target, value);
    if (outcome.kind !== 'failed' || outcome.error.code !== 'invalidArguments') return;
    // Fields are judged one by one; what only the whole violates is mended in a document.
    await this.#entry.openDocument(target, tool.inputSchema, value);
  }

  /** The tool of a row, which may have gone since; its server is started if the person agrees. */
  async #findTool(serverId: string, toolName: string): Promise<ToolEntry | undefined> {
    const { registry, actions } = this.#parts;
    const server = registry.find(serverId);
    if (server !== undefined && server.state.kind !== 'running') {
      if (!(await offerStart(server.config.label))) return undefined;
      if (!(await actions.start(serverId))) return undefined;
    }
    const tools = registry.find(serverId)?.tools ?? [];
    const named = tools.filter(({ tool }) => tool.name === toolName);
    const entry = named.find(({ tool }) => tool.callable);
    if (entry === undefined) tellNotCallable(toolName, named.length > 0);
    return entry;
  }

  async #runDocument(uri: vscode.Uri | undefined): Promise<void> {
    if (uri?.scheme === reviewScheme) this.#parts.reviews.answer(uri, 'run');
    else if (uri !== undefined) await this.#documents.run(uri);
  }

  async #cancelDocument(uri: vscode.Uri | undefined): Promise<void> {
    if (uri?.scheme === reviewScheme) this.#parts.reviews.answer(uri, 'no');
    else if (uri !== undefined) await this.#documents.cancel(uri);
  }
}

/** The document of a lens or an editor title; without one, of the active editor. */
function documentUri(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  return vscode.window.activeTextEditor?.document.uri;
}

async function offerStart(label: string): Promise<boolean> {
  const start = vscode.l10n.t('Start Server');
  const sentence = vscode.l10n.t('Server “{0}” is not running. Start it first?', quoted(label));
  return (await vscode.window.showInformationMessage(sentence, start)) === start;
}

function tellNotCallable(toolName: string, isListed: boolean): void {
  const name = quoted(toolName);
  const sentence = isListed
    ? vscode.l10n.t('“{0}” cannot be called: its definition cannot be used.', name)
    : vscode.l10n.t('“{0}” is not there any more. Refresh the tools of its server.', name);
  tell('warning', sentence, {
    title: vscode.l10n.t('Refresh Tools'),
    command: commands.refreshTools,
  });
}
