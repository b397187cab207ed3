import * as vscode from 'vscode';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import { findValue } from '../../core/json/jsonPointer';
import { fillIn, variablesIn, type Variable } from '../../core/callFiles/callFileVariables';
import { assertNever } from '../../core/errors';
import { isJsonValue } from '../../core/json/shapes';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { quoted } from '../format/sentences';
import { isCallFile } from './callFileDocuments';
import type { CallFileInputs } from './callFileInputs';
import type { CallFileRuns } from './callFileRuns';
import type { Environments } from './environments';

export interface CallFileValuesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly inputs: Pick<CallFileInputs, 'ask'>;
  readonly environments: Pick<Environments, 'name' | 'valueOf'>;
  readonly runs: Pick<CallFileRuns, 'resultOf'>;
}

/** Arguments to be sent, or why they cannot be made and where; nothing at all: the person left. */
export type FilledArguments =
  | {
      readonly kind: 'filled';
      readonly value: JsonObject | undefined;
      /** Whoever wrote the file chose which variables of this machine stand in it. */
      readonly hasEnvironmentValues: boolean;
      /** Of such variables, and of passwords that were typed. */
      readonly secrets: readonly string[];
    }
  | { readonly kind: 'problem'; readonly pointer: string; readonly sentence: string }
  | { readonly kind: 'cancelled' };

type Found = { readonly value: JsonValue } | { readonly sentence: string } | undefined;

/** Finds out what the variables of call files stand for at this moment. */
export class CallFileValues implements vscode.Disposable {
  readonly #options: CallFileValuesOptions;
  /** A call file is where a person runs calls; what they look at is the editor before it. */
  #lastEditor = otherEditor(vscode.window.activeTextEditor);
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.#lastEditor = otherEditor(editor) ?? this.#lastEditor;
  });

  constructor(options: CallFileValuesOptions) {
    this.#options = options;
  }

  /** Asks for inputs, each once. */
  async fill(uri: vscode.Uri, file: CallFile, call: FileCall): Promise<FilledArguments> {
    const { arguments: given } = call;
    if (given === undefined) {
      return { kind: 'filled', value: undefined, hasEnvironmentValues: false, secrets: [] };
    }
    const variables = variablesIn(given);
    const values = new Map<string, JsonValue>();
    for (const { pointer, variable } of variables) {
      if (values.has(variable.text)) continue;
      const found = await this.#find(uri, file, variable);
      if (found === undefined) return { kind: 'cancelled' };
      if ('sentence' in found) return { kind: 'problem', pointer, sentence: found.sentence };
      values.set(variable.text, found.value);
    }
    return {
      kind: 'filled',
      value: fillIn(given, ({ text }) => values.get(text) ?? null),
      hasEnvironmentValues: variables.some(({ variable }) => variable.kind === 'env'),
      secrets: variables
        .filter(({ variable }) => isSecret(variable, file))
        .flatMap(({ variable: { text } }) => values.get(text) ?? [])
        .filter((value) => typeof value === 'string'),
    };
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #find(uri: vscode.Uri, file: CallFile, variable: Variable): Promise<Found> {
    switch (variable.kind) {
      case 'env': {
        const { name } = variable;
        const value = Object.hasOwn(this.#options.env, name) ? this.#options.env[name] : undefined;
        if (value !== undefined) return { value };
        return no(vscode.l10n.t('The environment variable “{0}” is not set.', quoted(name)));
      }
      case 'input': {
        const definition = file.inputs.get(variable.name);
        const typed = await this.#options.inputs.ask(uri, variable.name, definition);
        return typed === undefined ? undefined : { value: typed };
      }
      case 'var':
        return this.#ofEnvironment(variable.name);
      case 'workspaceFolder': {
        const folder =
          vscode.workspace.getWorkspaceFolder(uri) ?? vscode.workspace.workspaceFolders?.[0];
        if (folder !== undefined) return { value: folder.uri.fsPath };
        return no(vscode.l10n.t('No folder is open.'));
      }
      case 'file':
        return this.#file();
      case 'selectedText':
        return this.#selectedText();
      case 'call':
        return this.#ofCall(uri, variable);
      default:
        return assertNever(variable);
    }
  }

  #ofEnvironment(variable: string): Found {
    const { environments } = this.#options;
    const value = environments.valueOf(variable);
    if (value !== undefined) return { value };
    const { name } = environments;
    return no(
      name === undefined
        ? vscode.l10n.t(
            'No environment is chosen that “{0}” could come from. Choose one in the status bar.',
            quoted(variable),
          )
        : vscode.l10n.t('The environment “{0}” has no “{1}”.', quoted(name), quoted(variable)),
    );
  }

  #file(): Found {
    const uri = this.#lastEditor?.document.uri;
    if (uri?.scheme === 'file') return { value: uri.fsPath };
    return no(vscode.l10n.t('No file was looked at beside the call file.'));
  }

  #selectedText(): Found {
    const editor = this.#lastEditor;
    const text = editor?.document.getText(editor.selection) ?? '';
    if (text !== '') return { value: text };
    return no(vscode.l10n.t('No text is selected in the editor before the call file.'));
  }

  #ofCall(uri: vscode.Uri, variable: Extract<Variable, { kind: 'call' }>): Found {
    const { name, part, steps, text } = variable;
    const result = this.#options.runs.resultOf(uri, name);
    if (result === undefined) {
      return no(
        vscode.l10n.t('Run “{0}” first: {1} is taken from its result.', quoted(name), quoted(text)),
      );
    }
    const found = findValue(result[part], steps);
    if (found.isThere && isJsonValue(found.value)) return { value: found.value };
    return no(
      vscode.l10n.t('The result of “{0}” has nothing for {1}.', quoted(name), quoted(text)),
    );
  }
}

function isSecret(variable: Variable, { inputs }: CallFile): boolean {
  if (variable.kind === 'env') return true;
  return variable.kind === 'input' && inputs.get(variable.name)?.isPassword === true;
}

function no(sentence: string): Found {
  return { sentence };
}

function otherEditor(editor: vscode.TextEditor | undefined): vscode.TextEditor | undefined {
  const schemes = ['file', 'untitled'];
  if (editor === undefined || !schemes.includes(editor.document.uri.scheme)) return undefined;
  return isCallFile(editor.document) ? undefined : editor;
}
