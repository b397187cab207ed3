import * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import type { ExpectationFailure } from '../../core/callFiles/expectations';
import { visibleText } from '../../core/visibleText';
import { unmetContext } from '../../ids';
import { rangeOf, readDocument } from '../callFiles/callFileDocuments';
import { failureSentence } from '../callFiles/formatCallFileProblem';
import { parseJson } from '../../core/json/parseJson';
import { isContainer } from '../../core/json/leaves';
import { stringifyExactly } from '../../core/json/writtenNumber';

/** A longer answer can be read in its document. */
const maxTextChars = 500_000;

/** Returns the position of a part of a call in its file. The pointer is relative to the call. */
export function testPosition(
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

/** Shows what differs at the line that expects it, with both texts for the diff editor. */
export function failureMessage(
  document: vscode.TextDocument,
  call: FileCall,
  failure: ExpectationFailure,
): vscode.TestMessage {
  const { expected, actual, pointer, code } = failure;
  const sentence = failureSentence(failure);
  const message =
    expected === undefined || actual === undefined
      ? new vscode.TestMessage(sentence)
      : vscode.TestMessage.diff(sentence, shown(expected), shown(actual));
  message.location = testPosition(document, call, `/expect${pointer}`);
  if (canBeAccepted(code)) message.contextValue = unmetContext;
  return message;
}

/** Says why there is no answer to compare. */
export function plainTestMessage(location: vscode.Location, text: string): vscode.TestMessage {
  const message = new vscode.TestMessage(shown(text));
  message.location = location;
  return message;
}

const acceptable: ReadonlySet<ExpectationFailure['code']> = new Set([
  'answer',
  'value',
  'isError',
  'isNoError',
  'outputSchema',
  'outputMissing',
  'noViolation',
]);

/** True if the failure is about the answer, so that the answer can become the expected one. */
export function canBeAccepted(code: ExpectationFailure['code']): boolean {
  return acceptable.has(code);
}

/** The text is split into lines for the diff; hidden characters of server text are shown. */
function shown(text: string): string {
  return visibleText(indented(text), maxTextChars, { newlines: 'keep' });
}

function indented(text: string): string {
  if (text.includes('\n') || text.length > maxTextChars) return text;
  try {
    const value = parseJson(text);
    return isContainer(value) ? stringifyExactly(value, 2) : text;
  } catch {
    // It is a cut value, or not JSON.
    return text;
  }
}
