import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile, CallFileInput } from '../../core/callFiles/callFile';
import type { InputPlace, RememberedInputs } from '../../host/secrets/rememberedInputs';
import { askLine, askValues } from '../picking/stepInputs';
import { refuseEmpty, remember } from '../secrets/inputQuestions';
import { quoted } from '../format/sentences';

/**
 * What the person typed for the inputs of call files. Each file has its own and asks once; what was
 * typed is kept with what servers ask for, until it is forgotten.
 */
export class CallFileInputs {
  readonly #remembered: RememberedInputs;

  constructor(remembered: RememberedInputs) {
    this.#remembered = remembered;
  }

  /**
   * Asks for those of these that nobody typed yet, back and forth, and keeps them when the last is
   * answered; one alone is asked for when it is wanted. Whether the person answered.
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

  /** `undefined` when the person did not answer. */
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

  /** What was typed before; `undefined` when nobody was asked yet. */
  async known(
    uri: vscode.Uri,
    name: string,
    definition: CallFileInput | undefined,
  ): Promise<string | undefined> {
    const isPassword = isPasswordOf(definition);
    const value = await this.#remembered.get(placeOf(uri, name), isPassword);
    return value !== undefined && refuseEmpty(isPassword)(value) === undefined ? value : undefined;
  }

  /** The next run asks again. */
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

/** Names of one file are nothing to another: a stranger's file must not get what this one asked. */
function placeOf(uri: vscode.Uri, id: string): InputPlace {
  return { kind: 'callFile', path: uri.toString(), id };
}
