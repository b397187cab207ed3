import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { recordingEditor } from '../../ids';
import type { RecordingDocuments } from './recordingDocuments';

/**
 * What opens a recording from the explorer: the document of its messages in place of its lines. Side
 * by side with another version, or from another place than a disk, it only says how to look at it.
 */
export function registerRecordingEditor(
  documents: Pick<RecordingDocuments, 'open'>,
): vscode.Disposable {
  return vscode.window.registerCustomEditorProvider(recordingEditor, {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: async ({ uri }, panel) => {
      panel.webview.html = pageOf(
        l10n.t('A recording. Select “Reopen Editor With…” to view it as text.'),
      );
      if (uri.scheme !== 'file' || tabsOf(uri).length === 0) return;
      await documents.open(uri.fsPath, panel.viewColumn);
      // Not by its panel: that one is still being opened, and its tab would stay.
      void vscode.window.tabGroups.close(tabsOf(uri), true);
    },
  });
}

function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  const key = uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input }) => input instanceof vscode.TabInputCustom && input.uri.toString() === key,
  );
}

/** No script, no style, nothing that is fetched; `text` is ours. */
function pageOf(text: string): string {
  const shown = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
  return `<!DOCTYPE html><html><head>${policy}</head><body><p>${shown}</p></body></html>`;
}
