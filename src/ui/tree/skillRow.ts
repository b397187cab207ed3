import * as l10n from '@vscode/l10n';
import { type Command, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { commands, contextValues } from '../../ids';
import { formatSize } from '../format/formatFile';
import { quoted } from '../format/sentences';
import { highlighted, type RowKind } from './rowKind';
import { boldLine, foreignLine, foreignText, markdownTooltip } from './tooltips';
import type { TreeModel } from './treeModel';
import type { SkillFileRow, SkillRow } from './treeRows';

/** No file of the skill is read until the user presses Enter (SEP-2640). */
export const skillRow: RowKind<'skill'> = {
  item: skillItem,
  tooltip: (row, { listed }) => {
    const skill = listed.skill(row);
    if (skill === undefined) return undefined;
    const { name, description, files } = skill;
    return markdownTooltip([
      boldLine(name),
      foreignText(description),
      foreignLine(l10n.t('URI: {0}', row.uri)),
      files === 'dynamic'
        ? l10n.t('The server lists no digests, so its files cannot be verified.')
        : l10n.t('Files with a listed size and digest: {0}', files.length),
    ]);
  },
  command: openCommand,
};

export const skillFileRow: RowKind<'skillFile'> = {
  item: fileItem,
  tooltip: (row, { listed }) => {
    const { digest = '' } = listed.skillFile(row) ?? {};
    return markdownTooltip([foreignLine(row.uri), foreignLine(digest)]);
  },
  command: openCommand,
};

function openCommand(row: SkillRow | SkillFileRow): Command {
  return { title: l10n.t('Open Skill File'), command: commands.openResource, arguments: [row] };
}

function skillItem(row: SkillRow, { listed, words }: TreeModel): TreeItem {
  const skill = listed.skill(row);
  if (skill === undefined) return new TreeItem(quoted(row.uri));
  const title = quoted(skill.name);
  const { files } = skill;
  const hasFiles = files !== 'dynamic' && files.length > 1;
  const state = hasFiles ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None;
  const item = new TreeItem(highlighted(title, words), state);
  item.description = quoted(skill.description);
  item.iconPath = new ThemeIcon('book');
  item.contextValue = contextValues.skill;
  item.accessibilityInformation = { label: l10n.t('Skill {0}: {1}', title, item.description) };
  return item;
}

function fileItem(row: SkillFileRow, { listed }: TreeModel): TreeItem {
  const item = new TreeItem(quoted(row.uri.slice(row.uri.lastIndexOf('/') + 1)));
  const { size } = listed.skillFile(row) ?? {};
  item.description = size === undefined ? '' : formatSize(size);
  item.iconPath = new ThemeIcon('file');
  item.contextValue = contextValues.skill;
  return item;
}
