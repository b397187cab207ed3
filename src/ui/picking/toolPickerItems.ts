import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JsonObject } from '../../core/json/jsonValue';
import { visibleText, escapeIcons } from '../../core/visibleText';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { briefArguments } from '../format/formatArguments';
import { formatRisk } from '../format/formatRisk';
import { riskIcon } from '../format/riskIcon';
import { toolNameText, toolTitle } from '../format/toolTitle';
import type { ChoiceItem } from '../editor/picker';
import { labelText } from '../format/labelText';
import { type PickableTool, recentTools, lastArguments } from './pickableTools';
import type { ToolSearch } from './toolSearch';

interface WithLast {
  /** The last arguments to call it with. By default no arguments are chosen. */
  readonly last?: JsonObject;
}

/** The result of a picker row. Separators have none. */
export type PickerChoice =
  | ({ readonly kind: 'tool'; readonly entry: ToolEntry } & WithLast)
  /** A tool of a stopped server, which has to be started and may no longer have the tool. */
  | ({
      readonly kind: 'lastKnown';
      readonly serverId: string;
      readonly toolName: string;
    } & WithLast)
  /** Also shows the tools that the selected tool set leaves out. */
  | { readonly kind: 'showAll' }
  | { readonly kind: 'start'; readonly serverId: string }
  | { readonly kind: 'startAll' };

export type PickerItem = ChoiceItem<PickerChoice>;

const maxLabelChars = 200;
const maxDetailChars = 200;

/** VS Code takes this many rows at once without a stall. */
const maxRows = 2_000;
/**
 * Maximum number of rows of a longer list after each letter, about as many as a user scrolls
 * through.
 */
const maxFoundRows = 500;

/** Returns the servers that can be started. */
export function idleServers(servers: readonly Server[]): readonly Server[] {
  return servers.filter(({ state, isDisabled }) => state.kind !== 'running' && isDisabled !== true);
}

/** Caches rows, because the same rows are shown again after each letter. */
export class MadeItems extends WeakMap<PickableTool, PickerItem> {
  /** True if rows offer to call their tool with the last arguments. */
  readonly hasLast: boolean;

  constructor(hasLast = false) {
    super();
    this.hasLast = hasLast;
  }
}

/** Returns the tools that were called last, and then the tools of each server. */
export function toolItems(tools: readonly PickableTool[], made = new MadeItems()): PickerItem[] {
  const itemOf = (tool: PickableTool): PickerItem => toolItem(tool, made);
  const recent = recentTools(tools);
  const shown = tools.length > maxRows ? tools.slice(0, maxFoundRows) : tools;
  const rest = shown.filter((tool) => !recent.includes(tool));
  return [
    ...(recent.length === 0 ? [] : [separator(l10n.t('Recently called'))]),
    ...recent.map(itemOf),
    ...rest.flatMap((tool, index) =>
      rest[index - 1]?.server === tool.server
        ? [itemOf(tool)]
        : [serverSeparator(tool), itemOf(tool)],
    ),
    ...moreItems(tools.length - shown.length),
  ];
}

/** Returns the tools that match `text`, best match first, and the number of further ones. */
export function foundToolItems(
  tools: readonly PickableTool[],
  text: string,
  search: ToolSearch,
  made = new MadeItems(),
): PickerItem[] {
  if (text.trim() === '') return toolItems(tools, made);
  const found = search.find(tools, text);
  const shown = found.slice(0, maxFoundRows).map((tool) => toolItem(tool, made));
  return [...shown, ...moreItems(found.length - maxFoundRows)];
}

/**
 * Returns the row that shows the tools outside the tool set. It stays visible while the user types.
 */
export function leftOutItems(count: number, set: string | undefined): PickerItem[] {
  if (count === 0 || set === undefined) return [];
  const label =
    count === 1
      ? l10n.t('Show 1 more tool that is not in “{0}”', labelText(set))
      : l10n.t('Show {0} more tools that are not in “{1}”', count, labelText(set));
  const iconPath = new vscode.ThemeIcon('tools');
  return [{ label, iconPath, alwaysShow: true, choice: { kind: 'showAll' } }];
}

/** Returns rows for the servers that can be started. */
export function startItems(servers: readonly Server[]): PickerItem[] {
  if (servers.length === 0) return [];
  const each = servers.map(({ config, state }): PickerItem => ({
    label:
      config.transport.kind === 'stdio'
        ? l10n.t('Start “{0}”', labelText(config.label))
        : l10n.t('Connect to “{0}”', labelText(config.label)),
    iconPath: new vscode.ThemeIcon('debug-start'),
    alwaysShow: true,
    choice: { kind: 'start', serverId: config.id },
    ...(state.kind === 'failed' ? { description: l10n.t('failed') } : {}),
    ...(state.kind === 'starting' ? { description: l10n.t('starting') } : {}),
  }));
  const all: PickerItem = {
    label: l10n.t('Start All {0} Servers', servers.length),
    iconPath: new vscode.ThemeIcon('run-all'),
    alwaysShow: true,
    choice: { kind: 'startAll' },
  };
  const title = separator(l10n.t('Not running'));
  return servers.length === 1 ? [title, ...each] : [title, all, ...each];
}

/** Returns the rows that contain all typed words, below their separator. */
export function matchingStartItems(items: readonly PickerItem[], text: string): PickerItem[] {
  const words = text.toLowerCase().split(/\s+/);
  const found = items.filter(
    ({ label, choice }) =>
      choice === undefined || words.every((word) => label.toLowerCase().includes(word)),
  );
  return found.some(({ choice }) => choice !== undefined) ? found : [];
}

function toolItem(tool: PickableTool, made: MadeItems): PickerItem {
  let item = made.get(tool);
  if (item === undefined) made.set(tool, (item = newToolItem(tool, made.hasLast)));
  return item;
}

function newToolItem(pickable: PickableTool, hasLast: boolean): PickerItem {
  const { server, entry, isLastKnown, lastCall } = pickable;
  const { tool, risk, serverId } = entry;
  const label = toolTitle(tool);
  const name = toolNameText(tool);
  // Each row names its server, because separators disappear as soon as the user types.
  const facts = [
    visibleText(server.config.label, maxLabelChars),
    ...(isLastKnown ? [l10n.t('not running')] : []),
    formatRisk(risk),
  ];
  const given = briefArguments(lastCall?.arguments);
  const last = hasLast ? lastArguments(pickable) : undefined;
  const choice = isLastKnown
    ? ({ kind: 'lastKnown', serverId, toolName: tool.name } as const)
    : ({ kind: 'tool', entry } as const);
  const detail = [given, firstLine(tool.description ?? '')].filter((part) => part !== '');
  return {
    label: escapeIcons(label),
    description: escapeIcons((label === name ? facts : [name, ...facts]).join(' · ')),
    detail: escapeIcons(detail.join(' · ')),
    iconPath: riskIcon(risk),
    // Otherwise VS Code would filter our matches by its own rules.
    alwaysShow: true,
    choice,
    ...(last === undefined ? {} : { other: { ...choice, last }, buttons: [lastButton()] }),
  };
}

function lastButton(): vscode.QuickInputButton {
  const iconPath = new vscode.ThemeIcon('debug-rerun');
  return { iconPath, tooltip: l10n.t('Run with Last Arguments') };
}

function moreItems(count: number): PickerItem[] {
  if (count <= 0) return [];
  return [{ label: l10n.t('{0} more: type to find them', count), alwaysShow: true }];
}

function firstLine(text: string): string {
  const [line = ''] = text
    .slice(0, maxDetailChars * 2)
    .trimStart()
    .split(/\r?\n/, 1);
  return visibleText(line, maxDetailChars);
}

function serverSeparator({ server, isLastKnown }: PickableTool): PickerItem {
  const label = labelText(server.config.label);
  return separator(isLastKnown ? l10n.t('{0} (not running)', label) : label);
}

function separator(label: string): PickerItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
