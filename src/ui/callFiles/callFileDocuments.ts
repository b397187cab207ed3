import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import path from 'node:path';
import { FileRefusedError, fileText } from '../../core/bounds/regularFile';
import type { FileCall } from '../../core/callFiles/callFile';
import type { ExpectationContext } from '../../core/callFiles/expectations';
import {
  readOutline,
  type OutlinedCall,
  type Outline,
  findRunbookBlocks,
  readRunbookOutline,
  readRunbook,
  type RunbookBlock,
} from '../../core/callFiles/runbook';
import { readCallFile, type ReadCallFile } from '../../core/callFiles/parseCallFile';
import { filesBeside } from '../../host/callFiles/filesBeside';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import { callFileExtension } from '../../ids';
import { isInFront, isWorkspaceFile } from '../editor/inFront';
import { readFileOf } from '../editor/readableDocument';
import { rangeOf } from '../editor/textPlaces';

/**
 * Excludes documents of other extensions, such as past versions of a file, and content from
 * servers.
 */
const schemes = ['file', 'untitled'];

export const callFilePattern = `**/*${callFileExtension}`;

const ofCallFiles = schemes.map((scheme) => ({ scheme, pattern: callFilePattern }));
/** Only files, because content from servers may be Markdown too. */
const ofRunbooks = { scheme: 'file', language: 'markdown' };

/** Call files and all Markdown files; few of these contain calls. */
export const callsSelector: vscode.DocumentSelector = [...ofCallFiles, ofRunbooks];

/** Markdown files only. */
export const runbookSelector: vscode.DocumentSelector = ofRunbooks;

export function isCallFile({ uri }: vscode.TextDocument): boolean {
  return schemes.includes(uri.scheme) && uri.path.endsWith(callFileExtension);
}

/** Searches for at most `max` call files of the workspace. */
export function searchCallFiles(
  max: number,
  token?: vscode.CancellationToken,
): Thenable<vscode.Uri[]> {
  return vscode.workspace.findFiles(callFilePattern, '**/node_modules/**', max, token);
}

export function openCallFiles(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((one) => !one.isClosed && isCallFile(one));
}

/** Returns true for a Markdown file with call blocks. */
export function isRunbook(document: vscode.TextDocument): boolean {
  return isMarkdownFile(document) && blocksIn(document).length > 0;
}

/** Returns true for a call file, or a Markdown file with call blocks. */
export function holdsCalls(document: vscode.TextDocument): boolean {
  return isCallFile(document) || isRunbook(document);
}

interface Reading extends ReadCallFile {
  readonly version: number;
  readonly outline: Outline;
  /** The call blocks of a Markdown file; empty for a call file. */
  readonly blocks: readonly RunbookBlock[];
}

const readings = new WeakMap<vscode.TextDocument, Reading>();

const readBlocks = new WeakMap<
  vscode.TextDocument,
  { readonly version: number; readonly blocks: readonly RunbookBlock[] }
>();

/** Scans open Markdown for call blocks on each change; only documents with blocks are parsed. */
function blocksIn(document: vscode.TextDocument): readonly RunbookBlock[] {
  const { version } = document;
  const known = readBlocks.get(document);
  if (known?.version === version) return known.blocks;
  const blocks = findRunbookBlocks(document.getText());
  readBlocks.set(document, { version, blocks });
  return blocks;
}

/** Parses the current version of the document; cached per version. */
export function readDocument(document: vscode.TextDocument): Reading {
  const known = readings.get(document);
  if (known?.version === document.version) return known;
  const text = document.getText();
  const { version } = document;
  const blocks = isMarkdownFile(document) ? blocksIn(document) : [];
  const reading =
    blocks.length > 0
      ? { version, blocks, outline: readRunbookOutline(text, blocks), ...readRunbook(text, blocks) }
      : { version, blocks, outline: readOutline(text), ...readCallFile(text) };
  readings.set(document, reading);
  return reading;
}

/**
 * A call file never counts as Markdown, even if the workspace settings assign that language to it.
 */
function isMarkdownFile(document: vscode.TextDocument): boolean {
  const { uri, languageId } = document;
  const isMarkdown = uri.scheme === ofRunbooks.scheme && languageId === ofRunbooks.language;
  return isMarkdown && !isCallFile(document);
}

/**
 * Returns the call with this name, if it has no problems and its name is unique. In Markdown other
 * blocks may still be broken; a call of another block must never run in its place.
 */
export function findCallByName(document: vscode.TextDocument, name: string): FileCall | undefined {
  const { file, outline } = readDocument(document);
  const isTwice = outline.calls.filter((each) => each.name === name).length > 1;
  return isTwice ? undefined : file?.calls.find((each) => each.name === name);
}

/** Returns the call at the cursor, or the only call of a call file. */
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

/** Maximum size of a file, the same as its limit in characters. */
const maxBytes = 10 * 1024 * 1024;

/** Reads the text from the editor if the file is open, including unsaved changes. */
export async function readCallText(
  uri: vscode.Uri,
): Promise<string | { readonly problem: string }> {
  const key = uri.toString();
  const open = openCallFiles().find((document) => document.uri.toString() === key);
  if (open !== undefined) return open.getText();
  try {
    return fileText(await readFileOf(uri, maxBytes));
  } catch (error) {
    if (error instanceof FileRefusedError && error.refusal === 'tooLarge') {
      return { problem: l10n.t('The file is too large for a call file.') };
    }
    return { problem: l10n.t('This file cannot be read.') };
  }
}

/**
 * Returns `file` if the document is in the active editor and either belongs to the workspace or is
 * untitled, so that the user sees what runs; otherwise returns `command`.
 */
export async function callFileOrigin(document: vscode.TextDocument): Promise<CallOrigin> {
  const { uri } = document;
  const isOwn =
    holdsCalls(document) && isInFront(uri) && (document.isUntitled || (await isWorkspaceFile(uri)));
  return isOwn ? 'file' : 'command';
}

/** Returns the folder whose files a saved call file may name: its workspace folder, or its own. */
export function folderOf(callFile: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(callFile);
  return folder?.uri.fsPath ?? path.dirname(callFile.fsPath);
}

/** Returns a reader for files that the call file names; unsaved changes are included. */
export function readerFor(uri: vscode.Uri): ExpectationContext['readText'] {
  if (uri.scheme !== 'file') return () => Promise.resolve({ code: 'fileOutside' });
  const read = filesBeside(uri.fsPath, folderOf(uri));
  return async (named) => {
    const found = await read(named);
    if ('code' in found && found.code !== 'fileMissing') return found;
    const place = vscode.Uri.joinPath(uri, '..', named);
    const typed = vscode.workspace.textDocuments.find(
      (document) =>
        document.isDirty &&
        ['file', 'untitled'].includes(document.uri.scheme) &&
        document.uri.path === place.path,
    );
    return typed === undefined ? found : { text: typed.getText() };
  };
}
