import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { recordingEditor } from '../../ids';
import type { RecordingDocuments } from './recordingDocuments';

/**
 * Opens a recording from the explorer as the document of its messages. In a diff, or for a file
 * that is not on disk, it only says how to open it.
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
      // The tab is closed instead of its panel, because the panel is still opening and its tab
      // would stay.
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

/** The page has no script, no style and fetches nothing. `text` is our own. */
function pageOf(text: string): string {
  const shown = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
  return `<!DOCTYPE html><html><head>${policy}</head><body><p>${shown}</p></body></html>`;
}
