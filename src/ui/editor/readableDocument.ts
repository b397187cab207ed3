import * as vscode from 'vscode';
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
