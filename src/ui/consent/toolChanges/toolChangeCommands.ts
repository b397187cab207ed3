import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../../core/visibleText';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { Server } from '../../../host/connections/snapshot';
import { toolFields, type AcceptedDefinition } from '../../../host/consent/pins/pinDefinition';
import type { Pins, AcceptedChanges } from '../../../host/consent/pins/pins';
import { commands } from '../../../ids';
import { notify, showStatus } from '../../editor/messages';
import { isOwnArgument, commandTarget } from '../../editor/ownArguments';
import { quoted } from '../../format/sentences';
import { type ToolChangeDocuments, definitionText, skillText } from './toolChangeDocuments';
import { changeWord, type ToolChangeKind } from '../../format/formatToolChange';
import type { Tool } from '../../../core/types';

type ChangePins = Pick<Pins, 'marks' | 'definition' | 'acceptChanges'>;

interface ToolChangeCommandsOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly pins: ChangePins;
  /** Skills, each as a tool. */
  readonly skills?: { readonly servers: readonly Server[]; readonly pins: ChangePins };
  readonly documents: Pick<ToolChangeDocuments, 'show' | 'showDiff'>;
}

/**
 * Registers showing and accepting changes: for the row of a tool or server, or from the palette.
 */
export function registerToolChangeCommands(options: ToolChangeCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.showToolChanges, (argument: unknown) =>
      showToolChanges(options, argument),
    ),
    vscode.commands.registerCommand(commands.acceptToolChanges, (argument: unknown) =>
      acceptChanges(options, argument),
    ),
  );
}

async function showToolChanges(
  options: ToolChangeCommandsOptions,
  argument: unknown,
): Promise<void> {
  const changes = targetChanges(options, argument);
  if (changes.length === 0) return notifyNothing();
  const change = isOneTarget(argument) ? changes[0] : await pickChange(changes);
  if (change !== undefined) await showChange(options, change);
}

async function acceptChanges(options: ToolChangeCommandsOptions, argument: unknown): Promise<void> {
  const changes = targetChanges(options, argument);
  if (changes.length === 0) return notifyNothing();
  // Only clicking on the row proves that the user means this tool.
  const isClicked = isOneTarget(argument) && isOwnArgument(argument);
  const accepted = isClicked ? changes : await pickChanges(changes);
  const [first] = accepted;
  if (first === undefined) return;
  for (const isSkill of [false, true]) {
    const own = accepted.filter((each) => (each.isSkill === true) === isSkill);
    await acceptToolChanges(pinsOf(options, isSkill), own);
  }
  const message =
    accepted.length === 1
      ? l10n.t('Accepted “{0}”', quoted(first.toolName))
      : l10n.t('Accepted {0} changes', accepted.length);
  showStatus(message, 3_000);
}

function targetChanges(
  { registry, pins, skills }: ToolChangeCommandsOptions,
  argument: unknown,
): readonly ToolChange[] {
  const { serverId, toolName, uri } = commandTarget(argument);
  const ofTools = toolChanges(registry, pins, serverId);
  const ofSkills =
    skills === undefined
      ? []
      : toolChanges(skills, skills.pins, serverId).map(
          (each) => ({ ...each, isSkill: true }) as const,
        );
  // A server can name a tool like a skill, so a row of one kind never means the other.
  if (toolName !== undefined) return ofTools.filter((each) => each.toolName === toolName);
  if (uri !== undefined) return ofSkills.filter((each) => each.toolName === uri);
  return [...ofTools, ...ofSkills];
}

/** True for a tool or a skill, and not for a whole server. */
function isOneTarget(argument: unknown): boolean {
  const { toolName, uri } = commandTarget(argument);
  return toolName !== undefined || uri !== undefined;
}

function pinsOf({ pins, skills }: ToolChangeCommandsOptions, isSkill: boolean): ChangePins {
  return isSkill && skills !== undefined ? skills.pins : pins;
}

async function showChange(
  options: ToolChangeCommandsOptions,
  { server, toolName, tool, kind, isSkill = false }: ToolChange,
): Promise<void> {
  const { documents } = options;
  const textOf = isSkill ? skillText : definitionText;
  const after = tool === undefined ? '' : textOf(tool);
  if (kind === 'new') return documents.show(toolName, after);
  const kept = await pinsOf(options, isSkill).definition(server.config, toolName);
  const before = kept === undefined ? lostText() : keptText(kept, textOf);
  if (kind === 'gone') return documents.show(toolName, before);
  const title = l10n.t('{0} on {1}: accepted ↔ now', quoted(toolName), quoted(server.config.label));
  return documents.showDiff(toolName, title, before, after);
}

function keptText({ tool, cut }: AcceptedDefinition, textOf: typeof definitionText): string {
  return textOf(
    tool,
    toolFields.filter((field) => cut[field] !== undefined),
  );
}

function lostText(): string {
  return l10n.t('The accepted definition can no longer be read.');
}

function notifyNothing(): void {
  notify(
    'information',
    l10n.t('No tool or skill of a running server has changed since you accepted it.'),
  );
}

interface ChangesItem extends vscode.QuickPickItem {
  readonly changes: readonly ToolChange[];
}

/** Longer lists are not useful, so they have one row for each kind and server. */
const maxItems = 500;

/**
 * Lets the user choose which of `changes` to accept; all are checked. Closing the picker accepts
 * none.
 */
async function pickChanges(changes: readonly ToolChange[]): Promise<ToolChange[]> {
  const items = changes.length > maxItems ? kindItems(changes) : changes.map(changeItem);
  const picked = await vscode.window.showQuickPick(
    items.map((item) => ({ ...item, picked: true })),
    {
      title: l10n.t('Accept Tool Changes'),
      placeHolder: l10n.t('Accepted tools are asked about no more often than before'),
      canPickMany: true,
      matchOnDescription: true,
    },
  );
  return (picked ?? []).flatMap((item) => item.changes);
}

/** Lets the user choose one change to show. */
async function pickChange(changes: readonly ToolChange[]): Promise<ToolChange | undefined> {
  const picked = await vscode.window.showQuickPick(changes.map(changeItem), {
    title: l10n.t('Show What Changed'),
    placeHolder: l10n.t('Choose a tool'),
    matchOnDescription: true,
  });
  return picked?.changes[0];
}

function changeItem(change: ToolChange): ChangesItem {
  return {
    changes: [change],
    label: escapeIcons(quoted(change.toolName)),
    description: itemDescription(change),
  };
}

function kindItems(changes: readonly ToolChange[]): ChangesItem[] {
  const groups = new Map<string, ToolChange[]>();
  for (const change of changes) {
    const key = JSON.stringify([change.server.config.id, change.kind, change.isSkill]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return [...groups.values()].flatMap((group): ChangesItem[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { length } = group;
    const label =
      first.isSkill === true ? l10n.t('{0} skills', length) : l10n.t('{0} tools', length);
    return [{ changes: group, label, description: itemDescription(first) }];
  });
}

/** Names the kind of a skill, because a tool can have its URI as a name. */
function itemDescription({ kind, server, isSkill }: ToolChange): string {
  const ofSkill = isSkill === true ? [l10n.t('skill')] : [];
  const parts = [...ofSkill, changeWord(kind), quoted(server.config.label)];
  return escapeIcons(parts.join(' · '));
}

/** One tool that differs from the accepted one. */
interface ToolChange {
  readonly kind: ToolChangeKind;
  readonly server: Server;
  readonly toolName: string;
  /** True for a skill, whose URI is the name of the tool. */
  readonly isSkill?: boolean;
  /** The current tool. Absent if it is no longer listed. */
  readonly tool?: Tool;
}

/** Returns the changes of one server, or of all running servers if there is no id. */
export function toolChanges(
  registry: Pick<ServerRegistry, 'servers'>,
  pins: Pick<Pins, 'marks'>,
  serverId?: string,
): ToolChange[] {
  return registry.servers
    .filter(({ config, state }) => (serverId ?? config.id) === config.id && isRunning(state))
    .flatMap((server) => changesOf(server, pins));
}

const isRunning = ({ kind }: Server['state']): boolean => kind === 'running';

function changesOf(server: Server, pins: Pick<Pins, 'marks'>): ToolChange[] {
  const marks = pins.marks(server.config.id);
  const listed = server.tools.flatMap(({ tool }): ToolChange[] => {
    if (!tool.callable) return [];
    const isNew = marks.new.has(tool.name);
    if (!isNew && !marks.changed.has(tool.name)) return [];
    return [{ kind: isNew ? 'new' : 'changed', server, toolName: tool.name, tool }];
  });
  const gone = marks.gone.map((toolName): ToolChange => ({ kind: 'gone', server, toolName }));
  return [...listed, ...gone];
}

/** Accepts exactly these tools, as they were listed. */
export async function acceptToolChanges(
  pins: Pick<Pins, 'acceptChanges'>,
  changes: readonly ToolChange[],
): Promise<void> {
  const servers = new Map(changes.map(({ server }) => [server.config.id, server]));
  for (const [id, { config }] of servers) {
    const own = changes.filter(({ server }) => server.config.id === id);
    const accepted: AcceptedChanges = {
      tools: own.flatMap(({ tool }) => (tool === undefined ? [] : [tool])),
      gone: own.flatMap(({ kind, toolName }) => (kind === 'gone' ? [toolName] : [])),
    };
    await pins.acceptChanges(config, accepted);
  }
}
