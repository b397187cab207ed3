import * as vscode from 'vscode';
import { visibleText, withoutIcons } from '../../core/visibleText';
import { formatOf } from '../../host/configuration/configurationFormats';
import {
  type FileSource,
  sourceFiles,
  type SourceFile,
} from '../configuration/configurationSources';

/** A file that servers can be written into; it need not exist. */
export interface Target {
  readonly uri: vscode.Uri;
  readonly source: FileSource;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target: Target;
}

const maxPathChars = 200;

/** Asks where; `userFile` is the user's own `mcp.json`. `undefined` when it is closed. */
export async function pickTarget(userFile: string | undefined): Promise<Target | undefined> {
  const items = sourceFiles(userFile)
    .filter(({ source }) => formatOf(source) === 'vscode')
    .map(targetItem);
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Where to Add'),
    placeHolder: vscode.l10n.t('Nothing is written before you have seen it'),
    ignoreFocusOut: true,
  });
  return picked?.target;
}

function targetItem({ source, folder }: SourceFile): TargetItem {
  const target = { uri: vscode.Uri.file(source.path), source };
  if (folder === undefined) {
    return {
      label: vscode.l10n.t('For you, in every workspace'),
      iconPath: new vscode.ThemeIcon('account'),
      description: withoutIcons(visibleText(source.path, maxPathChars)),
      detail: vscode.l10n.t('Your own mcp.json, which VS Code reads too'),
      target,
    };
  }
  const withFolder = vscode.workspace.asRelativePath(target.uri, true);
  return {
    label: vscode.l10n.t('In this workspace'),
    iconPath: new vscode.ThemeIcon('folder'),
    description: withoutIcons(visibleText(withFolder, maxPathChars)),
    detail: vscode.l10n.t('For everybody who works on this folder'),
    target,
  };
}
