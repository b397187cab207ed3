import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile, FileCall, CallFileInput } from '../../core/callFiles/callFile';
import { type KnownVariable, GeneratedValues } from '../../core/callFiles/callFileVariables';
import {
  fileValuesOf,
  type FileValueKind,
  type IsOtherServer,
  fillCall,
  valueOfCall,
  type FilledCall,
  type FoundValue,
} from '../../core/callFiles/callVariables';
import { assertNever } from '../../core/errors';
import type { RunAnswers } from '../../host/callFiles/callAnswers';
import type { InputPlace, RememberedInputs } from '../../host/secrets/rememberedInputs';
import { askLine, askValues } from '../editor/stepInputs';
import { quoted } from '../format/sentences';
import { refuseEmpty, remember } from '../secrets/inputQuestions';
import { holdsCalls } from './callFileDocuments';
import type { CallFileRuns } from './callFileRuns';
import type { Environments } from './environments';

interface CallFileValuesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly inputs: Pick<CallFileInputs, 'ask'> & {
    /** Asks for several inputs in advance. Defaults to asking for each input when it is needed. */
    readonly prepare?: CallFileInputs['prepare'];
  };
  readonly environments: Pick<Environments, 'name' | 'valueOf'>;
  readonly runs: Pick<CallFileRuns, 'resultOf' | 'isResultOf' | 'ofRun'>;
}

/** Values that stay the same for a call from its approval to its end. */
export interface RunValues {
  readonly generated: GeneratedValues;
  /**
   * The environment for `${var:…}`, even if another one is selected meanwhile; `undefined` for
   * none.
   */
  readonly environment: string | undefined;
  /**
   * Results of the calls of this run. Defaults to the last results of the calls of the file, from
   * the same environment and server configuration.
   */
  readonly results?: RunAnswers;
  /** Returns the server that replaces one named in the file. Defaults to the same server. */
  readonly serverOf?: (id: string) => string;
}

/** Resolves the variables of call files. */
export class CallFileValues implements vscode.Disposable {
  readonly #options: CallFileValuesOptions;
  /**
   * The last active editor other than a call file, because variables about the editor refer to what
   * the user worked on before running a call.
   */
  #lastEditor = otherEditor(vscode.window.activeTextEditor);
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.#lastEditor = otherEditor(editor) ?? this.#lastEditor;
  });

  constructor(options: CallFileValuesOptions) {
    this.#options = options;
  }

  /** Creates a run in the selected environment that can use earlier results of it. */
  newRun(): RunValues {
    return { generated: new GeneratedValues(), environment: this.#options.environments.name };
  }

  /**
   * Creates an isolated run, which uses no earlier results; the caller disposes of its results.
   * `environment` defaults to the selected one.
   */
  newSeparateRun(
    calls: readonly FileCall[],
    environment = this.#options.environments.name,
  ): RunValues & { readonly results: RunAnswers } {
    const results = this.#options.runs.ofRun(calls);
    return { generated: new GeneratedValues(), environment, results };
  }

  /**
   * Asks for the unknown inputs of these calls, in steps with a Back button. Calls that cannot be
   * sent anyway are skipped. Resolves with false if the user cancelled.
   */
  async prepare(
    uri: vscode.Uri,
    file: CallFile,
    calls: readonly FileCall[],
    run: RunValues,
  ): Promise<boolean> {
    const { inputs } = this.#options;
    if (inputs.prepare === undefined) return true;
    const wanted = new Set<string>();
    for (const call of calls) {
      const ofCall: string[] = [];
      const { kind } = await fillCall(file, call, run.generated, (variable) => {
        if (variable.kind !== 'input') return this.#find(uri, file, variable, run);
        ofCall.push(variable.name);
        return { value: '' };
      });
      if (kind === 'filled') for (const name of ofCall) wanted.add(name);
    }
    return inputs.prepare(uri, file.inputs, wanted);
  }

  /** Fills in all values. Asks for each input once; generated values are shared within the run. */
  async fill(uri: vscode.Uri, file: CallFile, call: FileCall, run: RunValues): Promise<FilledCall> {
    if (!(await this.prepare(uri, file, [call], run))) return { kind: 'cancelled' };
    const find = (variable: KnownVariable) => this.#find(uri, file, variable, run);
    return fillCall(file, call, run.generated, find, this.#isOtherServer(uri, file, call, run));
  }

  /** Returns the kinds of values that the call takes from outside the file, without reading any. */
  fileValuesOf(
    uri: vscode.Uri,
    file: CallFile,
    call: FileCall,
    run: RunValues,
  ): readonly FileValueKind[] {
    return fileValuesOf(file, call, this.#isOtherServer(uri, file, call, run));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #isOtherServer(
    uri: vscode.Uri,
    { calls }: CallFile,
    { server }: FileCall,
    { results, serverOf = (id) => id }: RunValues,
  ): IsOtherServer {
    return ({ name }) => {
      if (results === undefined) return !this.#options.runs.isResultOf(uri, name, server);
      const source = calls.find((call) => call.name === name);
      return source === undefined || serverOf(source.server) !== server;
    };
  }

  async #find(
    uri: vscode.Uri,
    file: CallFile,
    variable: KnownVariable,
    run: RunValues,
  ): Promise<FoundValue> {
    switch (variable.kind) {
      case 'env': {
        const { name } = variable;
        const value = Object.hasOwn(this.#options.env, name) ? this.#options.env[name] : undefined;
        if (value !== undefined) return { value };
        return no(l10n.t('The environment variable “{0}” is not set.', quoted(name)));
      }
      case 'input': {
        const definition = file.inputs.get(variable.name);
        const typed = await this.#options.inputs.ask(uri, variable.name, definition);
        return typed === undefined ? undefined : { value: typed };
      }
      case 'var':
        return this.#ofEnvironment(variable.name, run.environment);
      case 'workspaceFolder': {
        const folder =
          vscode.workspace.getWorkspaceFolder(uri) ?? vscode.workspace.workspaceFolders?.[0];
        if (folder !== undefined) return { value: folder.uri.fsPath };
        return no(l10n.t('No folder is open.'));
      }
      case 'file':
        return this.#file();
      case 'selectedText':
        return this.#selectedText();
      case 'call':
        return this.#ofCall(uri, variable, run);
      default:
        return assertNever(variable);
    }
  }

  #ofEnvironment(variable: string, name: string | undefined): FoundValue {
    const { environments } = this.#options;
    const value = name === undefined ? undefined : environments.valueOf(variable, name);
    if (value !== undefined) return { value };
    return no(
      name === undefined
        ? l10n.t(
            'No environment is selected for “{0}”. Select one in the status bar.',
            quoted(variable),
          )
        : l10n.t('The environment “{0}” has no “{1}”.', quoted(name), quoted(variable)),
    );
  }

  #file(): FoundValue {
    const uri = this.#lastEditor?.document.uri;
    if (uri?.scheme === 'file') return { value: uri.fsPath };
    return no(l10n.t('No file was open before the call file.'));
  }

  #selectedText(): FoundValue {
    const editor = this.#lastEditor;
    const text = editor?.document.getText(editor.selection) ?? '';
    if (text !== '') return { value: text };
    return no(l10n.t('No text was selected in the editor before the call file.'));
  }

  async #ofCall(
    uri: vscode.Uri,
    variable: Extract<KnownVariable, { kind: 'call' }>,
    { results, environment }: RunValues,
  ): Promise<FoundValue> {
    const { name, text } = variable;
    const result = await (results === undefined
      ? this.#options.runs.resultOf(uri, name, environment)
      : results.get(name));
    if (result === undefined) {
      return no(l10n.t('Run “{0}” first: {1} uses its result.', quoted(name), quoted(text)));
    }
    const value = valueOfCall(variable, result);
    if (value !== undefined) return { value };
    return no(l10n.t('The result of “{0}” has no value for {1}.', quoted(name), quoted(text)));
  }
}

function no(sentence: string): FoundValue {
  return { sentence };
}

function otherEditor(editor: vscode.TextEditor | undefined): vscode.TextEditor | undefined {
  const schemes = ['file', 'untitled'];
  if (editor === undefined || !schemes.includes(editor.document.uri.scheme)) return undefined;
  return holdsCalls(editor.document) ? undefined : editor;
}

/**
 * Values that the user entered for the inputs of call files. Each file has its own values and asks
 * once; they are stored with the inputs of servers until they are cleared.
 */
export class CallFileInputs {
  readonly #remembered: RememberedInputs;

  constructor(remembered: RememberedInputs) {
    this.#remembered = remembered;
  }

  /**
   * Asks for all unknown inputs in steps with a Back button and stores them after the last one. A
   * single input is not asked for here, but when it is needed. Resolves with false if the user
   * cancelled.
   */
  async prepare(
    uri: vscode.Uri,
    inputs: CallFile['inputs'],
    names: Iterable<string>,
  ): Promise<boolean> {
    const unknown: string[] = [];
    for (const name of names) {
      if ((await this.known(uri, name, inputs.get(name))) === undefined) unknown.push(name);
    }
    if (unknown.length < 2) return true;
    const values = await askValues(unknown, (name, { hasBack, value = '' }) => {
      const { isPassword, ...question } = questionOf(name, inputs.get(name));
      const problemOf = refuseEmpty(isPassword);
      return askLine({ ...question, isPassword, problemOf, hasBack, value });
    });
    for (const [name, value] of values ?? []) {
      await remember(this.#remembered, placeOf(uri, name), isPasswordOf(inputs.get(name)), value);
    }
    return values !== undefined;
  }

  /** Resolves with `undefined` if the user cancelled. */
  async ask(
    uri: vscode.Uri,
    name: string,
    definition: CallFileInput | undefined,
  ): Promise<string | undefined> {
    const known = await this.known(uri, name, definition);
    if (known !== undefined) return known;
    const { isPassword, ...question } = questionOf(name, definition);
    const typed = await vscode.window.showInputBox({
      ...question,
      password: isPassword,
      validateInput: refuseEmpty(isPassword),
      ignoreFocusOut: true,
    });
    if (typed !== undefined) {
      await remember(this.#remembered, placeOf(uri, name), isPassword, typed);
    }
    return typed;
  }

  /** Returns the stored value; `undefined` if the user was not asked yet. */
  async known(
    uri: vscode.Uri,
    name: string,
    definition: CallFileInput | undefined,
  ): Promise<string | undefined> {
    const isPassword = isPasswordOf(definition);
    const value = await this.#remembered.get(placeOf(uri, name), isPassword);
    return value !== undefined && refuseEmpty(isPassword)(value) === undefined ? value : undefined;
  }

  /** Clears these inputs, so that the next run asks again. */
  async forget(uri: vscode.Uri, names: Iterable<string>): Promise<void> {
    for (const name of names) await this.#remembered.forget(placeOf(uri, name));
  }
}

function questionOf(name: string, definition: CallFileInput | undefined) {
  return {
    title: l10n.t('Input “{0}”', quoted(name)),
    prompt: quoted(definition?.description ?? ''),
    isPassword: isPasswordOf(definition),
  };
}

function isPasswordOf(definition: CallFileInput | undefined): boolean {
  return definition?.isPassword === true;
}

/**
 * Inputs are stored per file, so that a foreign file cannot read the values of another one by using
 * its input names.
 */
function placeOf(uri: vscode.Uri, id: string): InputPlace {
  return { kind: 'callFile', path: uri.toString(), id };
}
