import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../../core/visibleText';
import { quoted } from '../../format/sentences';
import { changeWord, type ToolChangeKind } from '../../format/formatToolChange';
import type { Tool } from '../../../core/types';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { Server } from '../../../host/connections/snapshot';
import type { AcceptedChanges, Pins } from '../../../host/consent/pins/pins';

interface ChangesItem extends vscode.QuickPickItem {
  readonly changes: readonly ToolChange[];
}

/** Longer lists are not useful, so they have one row for each kind and server. */
const maxItems = 500;

/**
 * Lets the user choose which of `changes` to accept; all are checked. Closing the picker accepts
 * none.
 */
export async function pickChanges(changes: readonly ToolChange[]): Promise<ToolChange[]> {
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
export async function pickChange(changes: readonly ToolChange[]): Promise<ToolChange | undefined> {
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
export interface ToolChange {
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
