import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { calledName, isToolCall, type FileCall } from '../../core/callFiles/callFile';
import { comparableText } from '../../core/content/comparableResult';
import type { ToolResult } from '../../core/types';
import type { SchemaValidator } from '../../core/schema/schema';
import type { CallAnswers } from '../../host/callFiles/callAnswers';
import type { Gate } from '../../host/calls/gate';
import { serverFingerprint } from '../../host/consent/facts/fingerprints';
import type { PromptReads } from '../../host/prompts/promptReads';
import type { ServerRegistry } from '../../host/connections/registry';
import type { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { commands, internalCommands } from '../../ids';
import type { CallRunnerOptions } from '../calls/callRunner';
import { registerCodeLenses } from '../editor/codeLenses';
import { notify, showStatus } from '../editor/messages';
import { registerRowCommand } from '../editor/rowCommands';
import { quoted } from '../format/sentences';
import type { ServerActions } from '../servers/serverActions';
import { showCallFileProblems } from './callFileDiagnostics';
import {
  callAt,
  findCallByName,
  callsSelector,
  holdsCalls,
  readDocument,
  callFileOrigin,
} from './callFileDocuments';
import { CallFileLenses } from './callFileLenses';
import { CallFileRunner } from './callFileRunner';
import { CallFileRuns } from './callFileRuns';
import { CallFileSchemas } from './callFileSchemas';
import { CallVariableHelp } from './callVariableHelp';
import { RunbookProposals } from './runbookProposals';
import { CallFileValues, CallFileInputs } from './callFileValues';
import { copyCallAs } from './callCopyPicker';
import { Environments } from './environments';
import { callFileRowOf, CallFilesView } from './callFilesView';
import { newCallFile, openCallFile } from './savedCall';
import { type RunAllQuestions, RunAll } from './runAllQuestions';
import { RunReports } from './runReports';

export interface CallFilesOptions extends Pick<CallRunnerOptions, 'showOutcome' | 'occasions'> {
  readonly gate: Pick<Gate, 'call' | 'preview'>;
  readonly registry: Pick<ServerRegistry, 'find' | 'client' | 'servers' | 'onDidChange'>;
  readonly prompts: Pick<PromptReads, 'call'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll' | 'startForUse'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState'>;
  readonly remembered: RememberedInputs;
  /** Questions that list calls for approval. */
  readonly questions: RunAllQuestions;
  /** Results of calls, for use in later calls. */
  readonly answers: CallAnswers;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ChosenCall {
  readonly document: vscode.TextDocument;
  readonly name: string;
}

/**
 * Commands, lenses and diagnostics of call files, which store calls so that they can be run again.
 */
export class CallFiles implements vscode.Disposable {
  readonly #options: CallFilesOptions;
  readonly #inputs: CallFileInputs;
  readonly #runner: CallFileRunner;
  readonly #all: RunAll;
  readonly #questions: RunAllQuestions;
  readonly #environments: Environments;
  readonly #parts: vscode.Disposable;
  /**
   * Objects that the Test Explorer shares with call files, such as the run questions and the
   * outcomes.
   */
  readonly forTests: {
    readonly runs: CallFileRuns;
    readonly values: CallFileValues;
    /** Resolves variables without asking for inputs. */
    readonly quietValues: CallFileValues;
    readonly questions: RunAllQuestions;
    readonly reports: RunReports;
    readonly environments: Pick<Environments, 'pickSeveral'>;
  };

  constructor(options: CallFilesOptions) {
    const { registry, validator, context, remembered, env } = options;
    const runs = new CallFileRuns(options.answers, (id) => {
      const config = registry.find(id)?.config;
      return config === undefined ? undefined : serverFingerprint(config);
    });
    const inputs = new CallFileInputs(remembered);
    const environments = new Environments(context.workspaceState);
    const values = new CallFileValues({ env, inputs, environments, runs });
    const asking = { ask: inputs.known.bind(inputs) };
    const quietValues = new CallFileValues({ env, inputs: asking, environments, runs });
    const lenses = registerCodeLenses(callsSelector, new CallFileLenses(runs, environments));
    this.#options = options;
    this.#questions = options.questions;
    this.#inputs = inputs;
    this.#environments = environments;
    const reports = new RunReports();
    const showRead = (call: FileCall, result: ToolResult) =>
      reports.open(calledName(call), { text: comparableText(result), places: [] });
    const runner = new CallFileRunner({ ...options, values, runs, showRead });
    const questions = this.#questions;
    this.forTests = { runs, values, quietValues, questions, reports, environments };
    this.#runner = runner;
    this.#all = new RunAll({ ...options, values, runner, questions, reports, environments });
    this.#parts = vscode.Disposable.from(
      runs,
      environments,
      values,
      quietValues,
      lenses,
      reports,
      new CallFilesView(),
      runs.onDidChange(lenses.refresh),
      environments.onDidChange(lenses.refresh),
      showCallFileProblems({ registry, validator, runs }),
      new CallFileSchemas(registry),
      new CallVariableHelp(environments),
      new RunbookProposals(registry),
    );
  }

  register(): vscode.Disposable {
    const register = vscode.commands.registerCommand;
    const runAll = onDocument((document) => this.#runAll(document));
    return vscode.Disposable.from(
      register(commands.openCallFile, openCallFile),
      register(commands.newCallFile, () => newCallFile(this.#options)),
      registerRowCommand(
        commands.runFileCall,
        onCall(async ({ document, name }) =>
          this.#runner.run(document, name, await callFileOrigin(document)),
        ),
      ),
      registerRowCommand(commands.runCallFile, async (uri: unknown) => {
        // In the document that lists the calls, this command approves the run.
        if (!(await this.#questions.agree(uri))) await runAll(uri);
      }),
      this.#questions.register(),
      registerRowCommand(
        commands.copyCallAs,
        onCall((chosen) => this.#copy(chosen)),
      ),
      register(
        internalCommands.forgetInputs,
        onDocument((document) => this.#forgetInputs(document)),
      ),
      this.#environments.register(),
    );
  }

  dispose(): void {
    this.#parts.dispose();
  }

  async #runAll(document: vscode.TextDocument): Promise<void> {
    const { isMany } = readDocument(document).outline;
    const origin = await callFileOrigin(document);
    await (isMany ? this.#all.run(document, origin) : this.#runner.run(document, '', origin));
  }

  async #copy({ document, name }: ChosenCall): Promise<void> {
    const call = findCallByName(document, name);
    if (call === undefined) {
      // The Problems view has the details.
      notify('warning', l10n.t('Nothing was copied because this file has problems.'));
      return;
    }
    if (!isToolCall(call)) {
      notify('warning', l10n.t('Nothing was copied because only tool calls can be copied.'));
      return;
    }
    await copyCallAs({ ...call, tool: call.target.name }, this.#options.registry.find(call.server));
  }

  async #forgetInputs(document: vscode.TextDocument): Promise<void> {
    const { inputs } = readDocument(document).file ?? {};
    if (inputs === undefined) return;
    await this.#inputs.forget(document.uri, inputs.keys());
    const sentence = l10n.t('Inputs for this file were cleared.');
    showStatus(sentence);
  }
}

function onDocument(run: (document: vscode.TextDocument) => Promise<void>) {
  return async (uri: unknown) => {
    const document = await documentOf(uri);
    if (document !== undefined) await run(document);
  };
}

function onCall(run: (chosen: ChosenCall) => Promise<void>) {
  return async (uri: unknown, name: unknown) => {
    const chosen = await callOf(uri, name);
    if (chosen !== undefined) await run(chosen);
  };
}

/**
 * Returns the call file of a lens, of a row, or of the active editor; tells the user if there is
 * none. The file of a row is shown first, so that the user sees what runs.
 */
async function documentOf(argument: unknown): Promise<vscode.TextDocument | undefined> {
  if (argument instanceof vscode.Uri) return openDocument(argument);
  const row = callFileRowOf(argument);
  if (row !== undefined) {
    const found = await openDocument(row.uri);
    if (found !== undefined) await vscode.window.showTextDocument(found, { preview: true });
    return found;
  }
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined && holdsCalls(document)) return document;
  notify(
    'information',
    l10n.t('Open a call file to run its calls.'),
    { title: l10n.t('Open Call File…'), command: commands.openCallFile },
    { title: l10n.t('New Call File…'), command: commands.newCallFile },
  );
  return undefined;
}

async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // VS Code does not open files of more than 50 MB for extensions.
    const name = quoted(vscode.workspace.asRelativePath(uri));
    const sentence = l10n.t('Not sent: “{0}” is missing, or too large for a call file.', name);
    notify('warning', sentence);
    return undefined;
  }
}

/** Returns the call of a lens or of a row, or the one at the cursor. */
async function callOf(argument: unknown, name: unknown): Promise<ChosenCall | undefined> {
  const document = await documentOf(argument);
  if (document === undefined) return undefined;
  if (typeof name === 'string') return { document, name };
  const { callName } = callFileRowOf(argument) ?? {};
  if (callName !== undefined) return { document, name: callName };
  const position = vscode.window.activeTextEditor?.selection.active ?? new vscode.Position(0, 0);
  const call = callAt(document, position);
  if (call !== undefined) return { document, name: call.name };
  // If the file cannot be parsed, the runner reports why.
  if (readDocument(document).file === undefined) return { document, name: '' };
  notify(
    'information',
    l10n.t('The cursor is not in a call. Place it in a call, or run all calls.'),
  );
  return undefined;
}
