import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import { type FileSource, sourceFiles, type SourceFile } from '../editor/configurationSources';
import { labelOfFolder } from '../editor/localFolders';
import { formatSource } from '../format/sentencesOfProblems';
import { type StepAnswered, askItem } from '../editor/stepInputs';
import { labelText } from '../format/labelText';

/** A file that servers can be written to. It need not exist. */
export interface Target {
  readonly uri: vscode.Uri;
  readonly source: FileSource;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target: Target;
}

const maxNameChars = 100;

/**
 * Asks for the file, the portable ones first. `userFiles` are the user's own files; `before` is the
 * previous choice.
 */
export async function askTarget(
  userFiles: readonly string[],
  hasBack: boolean,
  before: Target | undefined,
  isOffered: (source: FileSource) => boolean = () => true,
): Promise<StepAnswered<Target>> {
  const files = sourceFiles(userFiles).filter(({ source }) => isOffered(source));
  const items = readers
    .flatMap(([name]) => files.filter(({ source }) => fileNameOf(source) === name))
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

/** Returns the last parts of the path that tell the places apart. */
function fileNameOf(source: FileSource): string {
  if (source.kind === 'workspaceFile') return path.relative(source.folder, source.path);
  return path.basename(source.path);
}

/** The places in the order in which they are offered, and the other programs that read each. */
const readers: readonly (readonly [name: string, who: () => string])[] = [
  ['.mcp.json', () => l10n.t('Also read by VS Code, Copilot CLI and Claude Code')],
  ['mcp-config.json', () => l10n.t('Also read by VS Code and Copilot CLI')],
  [
    path.join('.github', 'mcp.json'),
    () => l10n.t('Also read by Copilot CLI if there is no .mcp.json'),
  ],
  [path.join('.vscode', 'mcp.json'), vscodeReads],
  ['mcp.json', vscodeReads],
];

function vscodeReads(): string {
  return l10n.t('Also read by VS Code, which calls it deprecated');
}

function targetItem({ source, folder }: SourceFile): TargetItem {
  const target = { uri: vscode.Uri.file(source.path), source };
  const name = fileNameOf(source);
  return {
    label: folder === undefined ? formatSource(source) : escapeIcons(name),
    iconPath: new vscode.ThemeIcon(folder === undefined ? 'account' : 'folder'),
    description:
      folder === undefined
        ? l10n.t('Only for you, in all workspaces')
        : l10n.t('In the folder {0}', labelText(labelOfFolder(folder.uri.fsPath), maxNameChars)),
    detail: readers.find(([each]) => each === name)?.[1]() ?? '',
    target,
  };
}
