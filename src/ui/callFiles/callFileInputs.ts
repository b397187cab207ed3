import * as vscode from 'vscode';
import type { CallFileInput } from '../../core/callFiles/callFile';
import type { InputPlace, RememberedInputs } from '../../host/secrets/rememberedInputs';
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

  /** `undefined` when the person did not answer. */
  async ask(
    uri: vscode.Uri,
    name: string,
    definition: CallFileInput | undefined,
  ): Promise<string | undefined> {
    const place = placeOf(uri, name);
    const isPassword = definition?.isPassword === true;
    const known = await this.known(uri, name, definition);
    if (known !== undefined) return known;
    const refused = refuseEmpty(isPassword);
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Input “{0}”', quoted(name)),
      prompt: quoted(definition?.description ?? ''),
      password: isPassword,
      validateInput: refused,
      ignoreFocusOut: true,
    });
    if (typed !== undefined) await remember(this.#remembered, place, isPassword, typed);
    return typed;
  }

  /** What was typed before; `undefined` when nobody was asked yet. */
  async known(
    uri: vscode.Uri,
    name: string,
    definition: CallFileInput | undefined,
  ): Promise<string | undefined> {
    const isPassword = definition?.isPassword === true;
    const value = await this.#remembered.get(placeOf(uri, name), isPassword);
    return value !== undefined && refuseEmpty(isPassword)(value) === undefined ? value : undefined;
  }

  /** The next run asks again. */
  async forget(uri: vscode.Uri, names: Iterable<string>): Promise<void> {
    for (const name of names) await this.#remembered.forget(placeOf(uri, name));
  }
}

/** Names of one file are nothing to another: a stranger's file must not get what this one asked. */
function placeOf(uri: vscode.Uri, id: string): InputPlace {
  return { kind: 'callFile', path: uri.toString(), id };
}
