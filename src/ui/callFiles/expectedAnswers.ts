import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isRelativePath } from '../../core/callFiles/parseExpectation';
import { writeExpectation, type AcceptedAnswer } from '../../core/callFiles/writeExpectation';
import { FileReference } from '../../core/callFiles/callFile';
import { withValue } from '../../core/content/structuredAgreement';
import { smallestEdit } from '../../host/adding/configurationAdditions';
import { mayWriteBeside } from '../../host/callFiles/filesBeside';
import { repeatsSecret } from '../../host/history/storedArguments';
import type { History } from '../../host/history/history';
import type { SecretValues } from '../../host/secrets/secretValues';
import { callFileExtension } from '../../ids';
import { workspaceEditOf } from '../configuration/fileEdits';
import { exists } from '../editor/configurationFiles';
import { toFileName } from '../editor/fileName';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { folderOf, readDocument } from './callFileDocuments';
import { rangeOf } from '../editor/textPlaces';

interface ExpectedAnswersOptions {
  /** Returns the fields that differ in each answer and are not compared. */
  readonly volatileFields: () => readonly string[];
  /** Secrets in use; answers that contain one are not written. */
  readonly known: Pick<SecretValues, 'redact' | 'isEmpty'>;
  readonly history: Pick<History, 'find'>;
  /** Returns the secrets in the arguments of a call of this session; `undefined` if unknown. */
  readonly secretsOf: (callId: string) => readonly string[] | undefined;
}

/** The answer of a call of a call file. */
export interface AnswerOfCall extends AcceptedAnswer {
  /** Id for looking up whether the answer repeats a secret of the arguments. */
  readonly callId?: string | undefined;
}

/** Read one at a time, because all answers together may not fit into memory. */
type BroughtAnswers = Iterable<AnswerOfCall> | AsyncIterable<AnswerOfCall>;

/**
 * Writes answers of calls as their expected answers. Leaves the documents unsaved, so that the user
 * can review and undo the changes.
 */
export class ExpectedAnswers {
  readonly #options: ExpectedAnswersOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: ExpectedAnswersOptions) {
    this.#options = options;
  }

  /**
   * Writes into one call file; tells the user which answers were left out and why. One call after
   * the other, because each builds on the text that the one before has written.
   */
  write(uri: vscode.Uri, answers: BroughtAnswers): Promise<void> {
    const writing = this.#last.then(() => this.#write(uri, answers));
    this.#last = writing.catch(() => undefined);
    return writing;
  }

  async #write(uri: vscode.Uri, answers: BroughtAnswers): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    const before = document.getText();
    let text = before;
    const files = new Map<string, string>();
    let last: string | undefined;
    for await (const answer of answers) {
      if (await this.#isSecret(answer)) {
        notify('warning', secretSentence(answer));
        continue;
      }
      const file = await fileNameFor(document, answer.name, files);
      const written = writeExpectation(
        text,
        { ...answer, result: await withValue(answer.result) },
        {
          volatile: this.#options.volatileFields(),
          ...(file === undefined ? {} : { file }),
        },
      );
      if (written.kind !== 'written') {
        notify('warning', unwrittenSentence(answer, written.kind));
        continue;
      }
      last = answer.name;
      ({ text } = written);
      if (written.file !== undefined) files.set(written.file.path, written.file.text);
    }
    if (last === undefined) return;
    const refusal = await refusalOf(document, before, files.keys());
    if (refusal !== undefined) {
      notify('warning', refusal);
      return;
    }
    await replaceText(document, text);
    for (const [named, content] of files) await showAnswer(document.uri, named, content);
    await showCall(document, last);
  }

  /**
   * Returns true if the answer repeats a secret, from its arguments or known otherwise, and also if
   * the secrets of its arguments are unknown.
   */
  async #isSecret({ callId, result }: AnswerOfCall): Promise<boolean> {
    const { history, known, secretsOf } = this.#options;
    if (callId === undefined) return repeatsSecret(result, [], known);
    const past = history.find(callId);
    if (past?.answer?.omitted === 'secret') return true;
    // Answers that the history keeps from earlier sessions contain no secrets.
    const secrets = secretsOf(callId) ?? (past === undefined ? undefined : []);
    return secrets === undefined || repeatsSecret(result, secrets, known);
  }
}

/** Returns why nothing is written, or `undefined`. */
async function refusalOf(
  document: vscode.TextDocument,
  before: string,
  files: Iterable<string>,
): Promise<string | undefined> {
  for (const named of files) {
    if (await isInFolder(document.uri, named)) continue;
    return l10n.t('Not written: “{0}” is outside the folder.', quoted(named));
  }
  // Answers are read from the disk one after the other, while the user may be typing.
  return document.getText() === before
    ? undefined
    : l10n.t(
        'Nothing was written because the file was changed meanwhile. Accept the results again.',
      );
}

/** The call file comes from the repository, so it may name any path as its expected answer. */
async function isInFolder(callFile: vscode.Uri, named: string): Promise<boolean> {
  if (callFile.scheme !== 'file' || !isRelativePath(named)) return false;
  return mayWriteBeside(callFile.fsPath, folderOf(callFile), named);
}

/**
 * Returns the name of a new file next to a saved call file. `written` are the files that other
 * answers of the same change are written to.
 */
async function fileNameFor(
  document: vscode.TextDocument,
  name: string,
  written: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { uri } = document;
  if (uri.scheme !== 'file') return undefined;
  const stem = uri.path.split('/').at(-1)?.slice(0, -callFileExtension.length) ?? '';
  const named = (readDocument(document).file?.calls ?? []).flatMap(({ expect: { answer } }) =>
    answer instanceof FileReference ? [answer.path] : [],
  );
  const open = vscode.workspace.textDocuments.map((each) => each.uri.path);
  const isTaken = async (file: string): Promise<boolean> => {
    const place = vscode.Uri.joinPath(uri, '..', file);
    return open.includes(place.path) || (await exists(place));
  };
  // Not every file system distinguishes the case.
  const others = new Set([...named, ...written.keys()].map((file) => file.toLowerCase()));
  const call = name === '' ? '' : `.${toFileName(name)}`;
  for (let count = 1; ; count += 1) {
    const file = `${toFileName(stem)}${call}${count === 1 ? '' : `-${count}`}.expected.json`;
    if (!others.has(file.toLowerCase()) && !(await isTaken(file))) return file;
  }
}

/** Shows the answer in an unsaved document, whether the file exists or not. */
async function showAnswer(callFile: vscode.Uri, named: string, text: string): Promise<void> {
  const file = vscode.Uri.joinPath(callFile, '..', named);
  const document = await vscode.workspace.openTextDocument(
    (await exists(file)) ? file : file.with({ scheme: 'untitled' }),
  );
  await replaceText(document, text);
  await vscode.window.showTextDocument(document, { preview: false, preserveFocus: true });
}

/** Replaces only the changed part, so that cursor and folding are preserved. */
async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  // VS Code reduces an edit of the active editor to what differs. Where that is half of a character,
  // it loses the other half, which the second edit adds.
  for (let edits = 0; edits < 2 && document.getText() !== text; edits += 1) {
    const edit = smallestEdit(document.getText(), text);
    await vscode.workspace.applyEdit(workspaceEditOf(document, [edit]));
  }
}

async function showCall(document: vscode.TextDocument, name: string): Promise<void> {
  const { file, placeOf } = readDocument(document);
  const pointer = file?.calls.find((call) => call.name === name)?.pointer ?? '';
  const { start } = rangeOf(document, placeOf(`${pointer}/expect`));
  const selection = new vscode.Range(start, start);
  await vscode.window.showTextDocument(document, { preview: false, selection });
}

function nameOf({ name }: AnswerOfCall): string {
  return name === '' ? l10n.t('the call') : l10n.t('“{0}”', quoted(name));
}

function secretSentence(answer: AnswerOfCall): string {
  return l10n.t(
    'Not written: the result of {0} may contain a secret, and call files are shared.',
    nameOf(answer),
  );
}

function unwrittenSentence(answer: AnswerOfCall, kind: 'gone' | 'nothing' | 'tooLarge'): string {
  const name = nameOf(answer);
  return {
    gone: l10n.t('The file no longer contains {0}.', name),
    nothing: l10n.t('The result of {0} contains nothing to expect.', name),
    tooLarge: l10n.t('The result of {0} is too large to compare.', name),
  }[kind];
}
