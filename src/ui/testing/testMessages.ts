import * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import type { Failure } from '../../core/callFiles/expectations';
import { visibleText } from '../../core/visibleText';
import { unmetContext } from '../../ids';
import { rangeOf, readDocument } from '../callFiles/callFileDocuments';
import { failureSentence } from '../callFiles/formatCallFileProblem';
import { parseJson } from '../../core/json/parseJson';
import { isContainer } from '../../core/json/leaves';
import { stringifyExactly } from '../../core/json/writtenNumber';

/** More of an answer is read in its document. */
const maxTextChars = 500_000;

/** Where something of a call stands in its file: a pointer below the call. */
export function placeIn(
  document: vscode.TextDocument,
  call: Pick<FileCall, 'pointer'>,
  pointer = '',
): vscode.Location {
  const { placeOf } = readDocument(document);
  return new vscode.Location(
    document.uri,
    rangeOf(document, placeOf(`${call.pointer}${pointer}`)).start,
  );
}

/** What was not brought, at the line that expects it, with both texts for the diff of the editor. */
export function failureMessage(
  document: vscode.TextDocument,
  call: FileCall,
  failure: Failure,
): vscode.TestMessage {
  const { expected, actual, pointer, code } = failure;
  const sentence = failureSentence(failure);
  const message =
    expected === undefined || actual === undefined
      ? new vscode.TestMessage(sentence)
      : vscode.TestMessage.diff(sentence, shown(expected), shown(actual));
  message.location = placeIn(document, call, `/expect${pointer}`);
  if (canBeAccepted(code)) message.contextValue = unmetContext;
  return message;
}

/** Why there is no answer that could be looked at. */
export function wordsMessage(location: vscode.Location, words: string): vscode.TestMessage {
  const message = new vscode.TestMessage(shown(words));
  message.location = location;
  return message;
}

const acceptable: ReadonlySet<Failure['code']> = new Set([
  'answer',
  'value',
  'isError',
  'isNoError',
  'outputSchema',
  'outputMissing',
  'noViolation',
]);

/** Whether it is about what came, so that this can be what is expected from now on. */
export function canBeAccepted(code: Failure['code']): boolean {
  return acceptable.has(code);
}

/** As lines, so that a diff has something to show; text of servers hides nothing. */
function shown(text: string): string {
  return visibleText(indented(text), maxTextChars, { newlines: 'keep' });
}

function indented(text: string): string {
  if (text.includes('\n') || text.length > maxTextChars) return text;
  try {
    const value = parseJson(text);
    return isContainer(value) ? stringifyExactly(value, 2) : text;
  } catch {
    // The beginning of a long value, or no JSON at all.
    return text;
  }
}
