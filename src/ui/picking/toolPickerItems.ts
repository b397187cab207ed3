import * as vscode from 'vscode';
import { riskLevels } from '../../core/risk';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { ChoiceItem } from './chosenItem';
import { riskIcon, formatRisk } from '../format/formatRisk';
import { toolMatcher } from './toolFilter';
import { toolNameText, toolTitle } from '../format/toolTitle';

/** What a row of the picker leads to; separators lead nowhere. */
export type PickerChoice =
  | { readonly kind: 'tool'; readonly entry: ToolEntry }
  | { readonly kind: 'start'; readonly serverId: string }
  | { readonly kind: 'startAll' };

export type PickerItem = ChoiceItem<PickerChoice>;

const maxLabelChars = 200;
const maxDetailChars = 200;

/**
 * The callable tools of every running server, by server; of each, the read-only ones first, then
 * those that only add. The picker's first row is the one that Enter takes, so it is the most
 * harmless one. Within a level, and everywhere in the tree, the server's own order stands.
 */
export function callableTools(servers: readonly Server[]): [Server, readonly ToolEntry[]][] {
  return servers.flatMap((server): [Server, readonly ToolEntry[]][] => {
    if (server.state.kind !== 'running') return [];
    const callable = server.tools.filter(
      ({ tool, isDisabled }) => tool.callable && isDisabled !== true,
    );
    const entries = riskLevels.flatMap((level) =>
      callable.filter(({ risk }) => risk.level === level),
    );
    return entries.length === 0 ? [] : [[server, entries]];
  });
}

/** Servers that have no tools to pick because they do not run. */
export function idleServers(servers: readonly Server[]): readonly Server[] {
  return servers.filter(({ state, isDisabled }) => state.kind !== 'running' && isDisabled !== true);
}

/** A group of rows for each server. */
export function toolItems(tools: readonly [Server, readonly ToolEntry[]][]): PickerItem[] {
  return tools.flatMap(([server, entries]) => [
    separator(plain(server.config.label)),
    ...entries.map((entry) => toolItem(server, entry)),
  ]);
}

/**
 * The tools that `text` finds, at most `limit` of them, with a last row that counts the rest. For
 * lists so long that VS Code would be slow to take and search them as a whole.
 */
export function foundToolItems(
  tools: readonly [Server, readonly ToolEntry[]][],
  text: string,
  limit: number,
): PickerItem[] {
  const matches = toolMatcher({ text, levels: new Set(), closedWorldOnly: false }, searchedTexts);
  let left = limit;
  let rest = 0;
  const found = tools.map(([server, entries]): [Server, readonly ToolEntry[]] => {
    const all = entries.filter(matches);
    const shown = all.slice(0, left);
    left -= shown.length;
    rest += all.length - shown.length;
    return [server, shown];
  });
  const items = toolItems(found.filter(([, entries]) => entries.length > 0));
  // VS Code would search by its own rules what has been found by ours.
  const shown = items.map((item) => ({ ...item, alwaysShow: true }));
  if (rest === 0) return shown;
  const label = vscode.l10n.t('{0} more: type to find them', rest);
  return [...shown, { label, alwaysShow: true }];
}

const searchedTexts = new WeakMap();

/** What can be started to have more tools. */
export function startItems(servers: readonly Server[]): PickerItem[] {
  if (servers.length === 0) return [];
  const each = servers.map(({ config, state }): PickerItem => ({
    label: vscode.l10n.t('Start “{0}”', plain(config.label)),
    iconPath: new vscode.ThemeIcon('debug-start'),
    choice: { kind: 'start', serverId: config.id },
    ...(state.kind === 'failed' ? { description: vscode.l10n.t('failed') } : {}),
    ...(state.kind === 'starting' ? { description: vscode.l10n.t('starting') } : {}),
  }));
  const all: PickerItem = {
    label: vscode.l10n.t('Start All {0} Servers', servers.length),
    iconPath: new vscode.ThemeIcon('run-all'),
    choice: { kind: 'startAll' },
  };
  const title = separator(vscode.l10n.t('Not running'));
  return servers.length === 1 ? [title, ...each] : [title, all, ...each];
}

function toolItem({ config }: Server, entry: ToolEntry): PickerItem {
  const { tool, risk } = entry;
  const label = toolTitle(tool);
  const name = toolNameText(tool);
  // The server stands on every row: separators go away as soon as something is typed.
  const facts = [visibleText(config.label, maxLabelChars), formatRisk(risk)];
  return {
    label: withoutIcons(label),
    description: withoutIcons((label === name ? facts : [name, ...facts]).join(' · ')),
    detail: withoutIcons(firstLine(tool.description ?? '')),
    iconPath: riskIcon(risk),
    choice: { kind: 'tool', entry },
  };
}

function firstLine(text: string): string {
  const [line = ''] = text
    .slice(0, maxDetailChars * 2)
    .trimStart()
    .split(/\r?\n/, 1);
  return visibleText(line, maxDetailChars);
}

function plain(text: string): string {
  return withoutIcons(visibleText(text, maxLabelChars));
}

function separator(label: string): PickerItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
