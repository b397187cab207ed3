import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile, CallFileInput } from '../../core/callFiles/callFile';
import type { InputPlace, RememberedInputs } from '../../host/secrets/rememberedInputs';
import { askLine, askValues } from '../editor/stepInputs';
import { refuseEmpty, remember } from '../secrets/inputQuestions';
import { quoted } from '../format/sentences';

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
