import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import type { Skill } from '../../core/skills/skill';
import type { Resource } from '../../core/types';
import { escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import type { SkillLists } from '../../host/resources/serverLists';
import { commands } from '../../ids';
import { commandTarget } from '../editor/ownArguments';
import { withDelayedProgress } from '../editor/delayedProgress';
import { notify, notifyServerError } from '../editor/messages';
import { chosenItem, createPicker, type ChoiceItem } from '../editor/picker';
import { registerRowCommand } from '../editor/rowCommands';
import { formatSize } from '../format/formatFile';
import { resourceIcon } from '../format/formatResource';
import { quoted } from '../format/sentences';
import { pickListed, refreshLists } from '../resources/listPicker';
import { openNamedOrPicked } from '../resources/resourceCommands';
import type { ResourceDocuments } from '../results/resourceDocuments';

interface SkillCommandsOptions {
  readonly registry: ServerRegistry;
  readonly lists: SkillLists;
  readonly resources: Pick<ResourceDocuments, 'open'>;
}

/** Registers opening and listing skills: from a row or the palette. */
export function registerSkillCommands(options: SkillCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.openSkill, (argument: unknown) =>
      openNamedOrPicked(options, argument, () => pickSkill(options)),
    ),
    vscode.commands.registerCommand(commands.openSkillFile, (argument: unknown) =>
      openSkillFile(options, argument),
    ),
    registerRowCommand(commands.refreshSkills, (argument: unknown) =>
      refreshLists(options, commandTarget(argument).serverId, {
        none: noServer(),
        title: (server) => l10n.t('Listing the skills of “{0}”…', server),
      }),
    ),
  );
}

/**
 * Lets the user choose a file of a skill, folder by folder if only the server knows them, and opens
 * it.
 */
export async function openSkillFile(
  options: SkillCommandsOptions,
  argument: unknown,
): Promise<void> {
  const { registry, lists, resources } = options;
  const named = commandTarget(argument);
  const { serverId, uri } =
    named.serverId === undefined || named.uri === undefined
      ? ((await pickSkill(options)) ?? {})
      : named;
  const skill = lists.of(serverId ?? '').entries.find((each) => each.uri === uri);
  if (serverId === undefined || skill === undefined) return;
  let folder = skill.uri.slice(0, skill.uri.lastIndexOf('/'));
  for (;;) {
    const children = await childrenOf(registry, serverId, skill, folder);
    if (children === undefined) return;
    const chosen = await pickChild(skill, children);
    if (chosen === undefined) return;
    if (chosen.mimeType !== folderType) return void (await resources.open(serverId, chosen.uri));
    folder = chosen.uri;
  }
}

const folderType = 'inode/directory';

/** Resolves with `undefined` after a message if there is nothing to choose. */
async function childrenOf(
  registry: ServerRegistry,
  serverId: string,
  { files }: Skill,
  folder: string,
): Promise<readonly Resource[] | undefined> {
  if (files !== 'dynamic') return files.map(({ uri, size }) => ({ uri, name: uri, size }));
  const label = registry.find(serverId)?.config.label ?? serverId;
  try {
    const title = l10n.t('Listing the files of “{0}”…', quoted(folder));
    const { resources } = await withDelayedProgress(title, (token) =>
      registry.client(serverId).listSkillFolder(folder, { token }),
    );
    if (resources.length > 0) return resources;
    notify('information', l10n.t('Server “{0}” lists no files there.', quoted(label)));
  } catch (error) {
    notifyServerError({ id: serverId, label }, toMcpError(error));
  }
  return undefined;
}

function pickChild(skill: Skill, children: readonly Resource[]): Promise<Resource | undefined> {
  const root = skill.uri.lastIndexOf('/') + 1;
  return chosenItem(
    createPicker<ChoiceItem<Resource>>({
      title: l10n.t('Open File of Skill “{0}”', quoted(skill.name)),
      placeholder: l10n.t('Choose a file or a folder'),
      items: children.map((child) => ({
        label: escapeIcons(quoted(child.uri.slice(root))),
        description: child.size === undefined ? '' : formatSize(child.size),
        iconPath: resourceIcon(child),
        choice: child,
      })),
    }),
  );
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
