import * as vscode from 'vscode';
import { textLanguage } from '../../ids';

/**
 * Shows a read-only document of sentences: long lines are wrapped and nothing stands in the way of
 * reading. @throws what the provider of the document throws
 */
export async function showReadable(uri: vscode.Uri): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.languageId !== textLanguage) {
    await vscode.languages.setTextDocumentLanguage(document, textLanguage);
  }
  return vscode.window.showTextDocument(uri, { preview: false });
}
