import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visibleText, withoutIcons } from '../../core/visibleText';
import { formatOf } from '../../host/configuration/configurationFormats';
import { type FileSource, sourceFiles, type SourceFile } from '../editor/configurationSources';
import { type StepAnswered, askItem } from '../editor/stepInputs';

/** A file that servers can be written to. It need not exist. */
export interface Target {
  readonly uri: vscode.Uri;
  readonly source: FileSource;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target: Target;
}

const maxPathChars = 200;

/** Asks for the file. `userFile` is the user's own `mcp.json`; `before` is the previous choice. */
export async function askTarget(
  userFile: string | undefined,
  hasBack: boolean,
  before: Target | undefined,
): Promise<StepAnswered<Target>> {
  const items = sourceFiles(userFile)
    .filter(({ source }) => formatOf(source) === 'vscode')
    .map(targetItem);
  const key = before?.uri.toString();
  const { end, value } = await askItem(items, {
    title: l10n.t('Location of the Entry'),
    placeholder: l10n.t('You see the change before it is written'),
    active: items.find(({ target }) => target.uri.toString() === key),
    hasBack,
  });
  return { end, value: value?.target };
}

function targetItem({ source, folder }: SourceFile): TargetItem {
  const target = { uri: vscode.Uri.file(source.path), source };
  if (folder === undefined) {
    return {
      label: l10n.t('Only for you, in all workspaces'),
      iconPath: new vscode.ThemeIcon('account'),
      description: withoutIcons(visibleText(source.path, maxPathChars)),
      detail: l10n.t('Your mcp.json, which VS Code also reads'),
      target,
    };
  }
  const withFolder = vscode.workspace.asRelativePath(target.uri, true);
  return {
    label: l10n.t('In this workspace'),
    iconPath: new vscode.ThemeIcon('folder'),
    description: withoutIcons(visibleText(withFolder, maxPathChars)),
    detail: l10n.t('Shared with everyone who uses this folder'),
    target,
  };
}
