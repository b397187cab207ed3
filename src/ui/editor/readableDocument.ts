import * as vscode from 'vscode';
import { FileRefusedError, readRegularFile } from '../../core/bounds/regularFile';
import { textLanguage } from '../../ids';

/**
 * Shows a read-only document of prose with word wrap and without distracting decorations. @throws
 * the error of the document's provider
 */
export async function showReadable(uri: vscode.Uri): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.languageId !== textLanguage) {
    await vscode.languages.setTextDocumentLanguage(document, textLanguage);
  }
  return vscode.window.showTextDocument(uri, { preview: false });
}

/**
 * Reads a regular file of at most `maxBytes`. Files on disk are opened without blocking, because VS
 * Code's own reader would wait for the writer of a pipe and hold up other files.
 * @throws {FileRefusedError} for another kind or a larger file; otherwise the error of the file
 * system
 */
export async function readFileOf(uri: vscode.Uri, maxBytes: number): Promise<Uint8Array> {
  if (uri.scheme === 'file') return readRegularFile(uri.fsPath, maxBytes);
  const { size, type } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.Directory) !== 0) throw new FileRefusedError(uri.path, 'isFolder');
  if ((type & vscode.FileType.File) === 0) throw new FileRefusedError(uri.path, 'notAFile');
  if (size > maxBytes) throw new FileRefusedError(uri.path, 'tooLarge');
  return vscode.workspace.fs.readFile(uri);
}
