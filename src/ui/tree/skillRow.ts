import * as l10n from '@vscode/l10n';
import { type Command, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { isOverLimits, type Skill } from '../../core/skills/skill';
import { hides } from '../../core/toolProblems';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { commands, contextValues } from '../../ids';
import { formatSize } from '../format/formatFile';
import { resourceIcon } from '../format/formatResource';
import { changeWord, skillChangeSentence } from '../format/formatToolChange';
import { skillFilesSentence } from '../format/formatSkill';
import { quoted } from '../format/sentences';
import { markUri } from './rowDecorations';
import type { TreeModel } from './treeModel';
import { type SkillFileRow, type SkillRow } from './treeRows';
import {
  highlighted,
  type RowKind,
  boldLine,
  foreignLine,
  foreignText,
  lineList,
  markdownTooltip,
} from './rowKind';

/** Longer lists are not read in a tooltip. */
const maxFields = 20;

/** No file of the skill is read until the user presses Enter (SEP-2640). */
export const skillRow: RowKind<'skill'> = {
  item: skillItem,
  tooltip: (row, { listed }) => {
    const skill = listed.skill(row);
    if (skill === undefined) return undefined;
    const mark = listed.skillMark(row);
    const { name, description, frontmatter } = skill;
    const others = Object.entries(frontmatter)
      .filter(([field]) => field !== 'name' && field !== 'description')
      .slice(0, maxFields)
      .map(([field, value]) => l10n.t('{0}: {1}', field, textOf(value)));
    return markdownTooltip([
      boldLine(name),
      ...(mark === undefined ? [] : [foreignLine(skillChangeSentence(mark))]),
      foreignText(description),
      ...(others.length === 0 ? [] : [lineList(others)]),
      foreignLine(l10n.t('URI: {0}', row.uri)),
      foreignLine(skillFilesSentence(skill)),
    ]);
  },
  command: openCommand,
};

export const skillFileRow: RowKind<'skillFile'> = {
  item: fileItem,
  tooltip: (row, { listed }) => {
    const { digest = '' } = listed.skillFile(row) ?? {};
    return markdownTooltip([foreignLine(l10n.t('URI: {0}', row.uri)), foreignLine(digest)]);
  },
  command: openCommand,
};

function openCommand(row: SkillRow | SkillFileRow): Command {
  return { title: l10n.t('Open Skill'), command: commands.openSkill, arguments: [row] };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : stringifyExactly(value);
}

function skillItem(row: SkillRow, { listed, words }: TreeModel): TreeItem {
  const skill = listed.skill(row);
  if (skill === undefined) return new TreeItem(quoted(row.uri));
  const title = quoted(skill.name);
  const mark = listed.skillMark(row);
  // `SKILL.md` is always one of the files, and has no row of its own.
  const hasFileRows = skill.files !== 'dynamic' && skill.files.length > 1;
  const state = hasFileRows ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None;
  const item = new TreeItem(highlighted(title, words), state);
  item.description = [
    ...(mark === undefined ? [] : [changeWord(mark)]),
    ...warnings(skill),
    quoted(skill.description),
  ].join(' · ');
  item.iconPath = new ThemeIcon('book');
  item.contextValue = mark === undefined ? contextValues.skill : contextValues.changedSkill;
  if (mark !== undefined) item.resourceUri = markUri(mark, 'skill');
  item.accessibilityInformation = { label: l10n.t('Skill {0}: {1}', title, item.description) };
  return item;
}

/** They come first, because a narrow sidebar cuts the end. */
function warnings(skill: Skill): readonly string[] {
  const { name, description, files } = skill;
  return [
    ...(files === 'dynamic' ? [l10n.t('not verifiable')] : []),
    ...(isOverLimits(skill) ? [l10n.t('too large')] : []),
    ...(hides(name) || hides(description) ? [l10n.t('hidden characters')] : []),
  ];
}

function fileItem(row: SkillFileRow, { listed }: TreeModel): TreeItem {
  const item = new TreeItem(quoted(row.name));
  const { size } = listed.skillFile(row) ?? {};
  item.description = size === undefined ? '' : formatSize(size);
  item.iconPath = resourceIcon({ uri: row.uri, name: row.name });
  item.contextValue = contextValues.skill;
  return item;
}
