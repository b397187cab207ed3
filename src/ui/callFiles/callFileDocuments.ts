import * as vscode from 'vscode';
import { outlineOf, type OutlinedCall, type Outline } from '../../core/callFiles/outline';
import { readCallFile, type ReadCallFile } from '../../core/callFiles/parseCallFile';
import type { TextPlace } from '../../core/arguments/argumentsJson';
import { callFileExtension } from '../../ids';

/** Not what other extensions make of one, such as its past versions, nor what a server sent. */
const schemes = ['file', 'untitled'];

export const callFileSelector: vscode.DocumentSelector = schemes.map((scheme) => ({
  scheme,
  pattern: `**/*${callFileExtension}`,
}));

export function isCallFile({ uri }: vscode.TextDocument): boolean {
  return schemes.includes(uri.scheme) && uri.path.endsWith(callFileExtension);
}

export function openCallFiles(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((one) => !one.isClosed && isCallFile(one));
}

interface Reading extends ReadCallFile {
  readonly version: number;
  readonly outline: Outline;
}

const readings = new WeakMap<vscode.TextDocument, Reading>();

/** The document as it is now; read once for each of its versions. */
export function readDocument(document: vscode.TextDocument): Reading {
  const known = readings.get(document);
  if (known?.version === document.version) return known;
  const text = document.getText();
  const reading = {
    version: document.version,
    outline: outlineOf(text),
    ...readCallFile(text),
  };
  readings.set(document, reading);
  return reading;
}

export function rangeOf(
  document: vscode.TextDocument,
  { offset, length }: TextPlace,
): vscode.Range {
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}

/** The call that the cursor is in, or the only one of the file. */
export function callAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): OutlinedCall | undefined {
  const { calls } = readDocument(document).outline;
  const [only] = calls;
  if (calls.length === 1) return only;
  const { line } = position;
  return calls.find(({ whole }) => {
    const { start, end } = rangeOf(document, whole);
    return start.line <= line && line <= end.line;
  });
}
