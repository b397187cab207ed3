import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Skill } from '../../core/skills/skill';
import type { ServerRegistry } from '../../host/connections/registry';
import type { SkillLists } from '../../host/resources/serverLists';
import { commands } from '../../ids';
import { commandTarget } from '../editor/commandTarget';
import { confirmIfForeign } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { pickListed, refreshLists } from '../resources/listPicker';
import type { ResourceDocuments } from '../results/resourceDocuments';

export interface SkillCommandsOptions {
  readonly registry: ServerRegistry;
  readonly lists: SkillLists;
  readonly resources: Pick<ResourceDocuments, 'open'>;
}

/** Registers opening and listing skills: from a row or the palette. */
export function registerSkillCommands(options: SkillCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.openSkill, (argument: unknown) =>
      openSkill(options, argument),
    ),
    vscode.commands.registerCommand(commands.refreshSkills, (argument: unknown) =>
      refreshLists(options, commandTarget(argument).serverId, {
        none: noServer(),
        title: (server) => l10n.t('Listing the skills of “{0}”…', server),
      }),
    ),
  );
}

async function openSkill(options: SkillCommandsOptions, argument: unknown): Promise<void> {
  const { registry, resources } = options;
  const { serverId, uri } = commandTarget(argument);
  if (serverId === undefined || uri === undefined) {
    const picked = await pickSkill(options);
    if (picked !== undefined) await resources.open(picked.serverId, picked.uri);
    return;
  }
  const label = registry.find(serverId)?.config.label ?? serverId;
  const question = l10n.t('Read “{0}” from server “{1}”?', quoted(uri), quoted(label));
  if (await confirmIfForeign(argument, question, l10n.t('Read'))) {
    await resources.open(serverId, uri);
  }
}

function pickSkill({ registry, lists }: SkillCommandsOptions) {
  return pickListed<Skill, { readonly serverId: string; readonly uri: string }>({
    registry,
    lists,
    title: l10n.t('Open Skill'),
    placeholder: l10n.t('Choose a skill to read its SKILL.md'),
    listing: l10n.t('Listing skills…'),
    noServer: noServer(),
    noEntry: l10n.t('No running server lists a skill.'),
    toItem: (serverId, { uri, name, description }) => ({
      label: name,
      description,
      detail: uri,
      iconPath: new vscode.ThemeIcon('book'),
      choice: { serverId, uri },
    }),
  });
}

function noServer(): string {
  return l10n.t('No running server has skills.');
}
