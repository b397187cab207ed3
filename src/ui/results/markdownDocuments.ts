import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentLanguage, languageOfDocument } from '../../core/content/documentNames';
import { markdownFolds } from '../../core/content/markdownFolding';
import { notify } from '../editor/messages';
import { activeUri } from '../editor/resultTabs';

const language = documentLanguage('markdown');

/**
 * Registers the VS Code features for Markdown that are safe for server text: folding, and the
 * preview, which renders server documents in its own way (`markdownPreview.ts`).
 *
 * @param command shows the preview of the document that it is run on, or of the active one
 */
export function registerMarkdown(schemes: readonly string[], command: string): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerFoldingRangeProvider(
      schemes.map((scheme) => ({ language, scheme })),
      { provideFoldingRanges: (document) => foldsOf(document) },
    ),
    vscode.commands.registerCommand(command, (pressedOn: unknown) =>
      showPreview(schemes, pressedOn instanceof vscode.Uri ? pressedOn : activeUri()),
    ),
  );
}

function foldsOf(document: vscode.TextDocument): vscode.FoldingRange[] {
  return markdownFolds(linesOf(document)).map(
    ({ start, end }) => new vscode.FoldingRange(start, end),
  );
}

function* linesOf(document: vscode.TextDocument): Iterable<string> {
  for (let line = 0; line < document.lineCount; line += 1) yield document.lineAt(line).text;
}

async function showPreview(schemes: readonly string[], uri: vscode.Uri | undefined): Promise<void> {
  const name = uri?.path.split('/').at(-1) ?? '';
  const isMarkdown = languageOfDocument(name) === language;
  if (uri === undefined || !isMarkdown || !schemes.includes(uri.scheme)) {
    notify('information', l10n.t('Open a Markdown result first, then its preview.'));
    return;
  }
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  } catch {
    // The preview belongs to a built-in extension, which can be disabled.
    notify('warning', l10n.t('VS Code’s Markdown preview is not available in this window.'));
  }
}
