import * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import { outlineOf, type OutlinedCall, type Outline } from '../../core/callFiles/outline';
import {
  blocksOf,
  outlineOfRunbook,
  readRunbook,
  type RunbookBlock,
} from '../../core/callFiles/runbook';
import { readCallFile, type ReadCallFile } from '../../core/callFiles/parseCallFile';
import type { TextPlace } from '../../core/arguments/argumentsJson';
import { callFileExtension } from '../../ids';

/** Not what other extensions make of one, such as its past versions, nor what a server sent. */
const schemes = ['file', 'untitled'];

const ofCallFiles = schemes.map((scheme) => ({ scheme, pattern: `**/*${callFileExtension}` }));
/** Nothing that is not a file: what a server sent may be Markdown, too. */
const ofRunbooks = { scheme: 'file', language: 'markdown' };

/** Call files, and Markdown documents, of which few hold calls. */
export const callsSelector: vscode.DocumentSelector = [...ofCallFiles, ofRunbooks];

/** Of Markdown documents alone. */
export const runbookSelector: vscode.DocumentSelector = ofRunbooks;

export function isCallFile({ uri }: vscode.TextDocument): boolean {
  return schemes.includes(uri.scheme) && uri.path.endsWith(callFileExtension);
}

export function openCallFiles(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((one) => !one.isClosed && isCallFile(one));
}

/** Whether it is a Markdown file with blocks of calls. */
export function isRunbook(document: vscode.TextDocument): boolean {
  return isMarkdownFile(document) && blocksIn(document).length > 0;
}

/** Whether calls are written in it: a call file, or a Markdown file with blocks of them. */
export function holdsCalls(document: vscode.TextDocument): boolean {
  return isCallFile(document) || isRunbook(document);
}

export function openCallDocuments(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((one) => !one.isClosed && holdsCalls(one));
}

interface Reading extends ReadCallFile {
  readonly version: number;
  readonly outline: Outline;
  /** Of Markdown: its blocks of calls. */
  readonly blocks: readonly RunbookBlock[];
}

const readings = new WeakMap<vscode.TextDocument, Reading>();

const readBlocks = new WeakMap<
  vscode.TextDocument,
  { readonly version: number; readonly blocks: readonly RunbookBlock[] }
>();

/** Looked for in all Markdown that is open, whenever it changes: only what has some is read. */
function blocksIn(document: vscode.TextDocument): readonly RunbookBlock[] {
  const { version } = document;
  const known = readBlocks.get(document);
  if (known?.version === version) return known.blocks;
  const blocks = blocksOf(document.getText());
  readBlocks.set(document, { version, blocks });
  return blocks;
}

/** The document as it is now; read once for each of its versions. */
export function readDocument(document: vscode.TextDocument): Reading {
  const known = readings.get(document);
  if (known?.version === document.version) return known;
  const text = document.getText();
  const { version } = document;
  const blocks = isMarkdownFile(document) ? blocksIn(document) : [];
  const reading =
    blocks.length > 0
      ? { version, blocks, outline: outlineOfRunbook(text, blocks), ...readRunbook(text, blocks) }
      : { version, blocks, outline: outlineOf(text), ...readCallFile(text) };
  readings.set(document, reading);
  return reading;
}

/** A call file is none, whatever language the settings of a workspace say that it has. */
function isMarkdownFile(document: vscode.TextDocument): boolean {
  const { uri, languageId } = document;
  const isMarkdown = uri.scheme === ofRunbooks.scheme && languageId === ofRunbooks.language;
  return isMarkdown && !isCallFile(document);
}

/**
 * The call of this name if it has no problems and no other has its name: in Markdown one block can
 * have some, and what is run is never another one than that whose name it is.
 */
export function callNamed(document: vscode.TextDocument, name: string): FileCall | undefined {
  const { file, outline } = readDocument(document);
  const isTwice = outline.calls.filter((each) => each.name === name).length > 1;
  return isTwice ? undefined : file?.calls.find((each) => each.name === name);
}

export function rangeOf(
  document: vscode.TextDocument,
  { offset, length }: TextPlace,
): vscode.Range {
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}

/** The call that the cursor is in, or the only one of a call file. */
export function callAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): OutlinedCall | undefined {
  const { calls } = readDocument(document).outline;
  const [only] = calls;
  if (calls.length === 1 && isCallFile(document)) return only;
  const { line } = position;
  return calls.find(({ whole }) => {
    const { start, end } = rangeOf(document, whole);
    return start.line <= line && line <= end.line;
  });
}
