import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { Resource, ResourceTemplate } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { ResourceLists } from '../../host/resources/resourceLists';
import { chosenItem, type ChoiceItem } from '../editor/chosenItem';
import { withDelayedProgress } from '../editor/delayedProgress';
import { startServerAction, tell } from '../editor/messages';
import { resourceBrief, resourceIcon, resourceTitle } from '../format/formatResource';

/** The picked resource or template. */
export type ResourceChoice =
  | { readonly kind: 'resource'; readonly serverId: string; readonly uri: string }
  | { readonly kind: 'template'; readonly serverId: string; readonly uriTemplate: string };

export interface ResourcePickerOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly lists: Pick<ResourceLists, 'has' | 'of' | 'ensure'>;
}

type Item = ChoiceItem<ResourceChoice>;

/** Maximum number of rows; further ones are found by typing. */
const maxRows = 1_000;
const maxChars = 300;

/**
 * Lets the user choose a resource of a running server, or type a URI that no server lists. Resolves
 * with `undefined` after a message if there is nothing to choose, and if the picker is closed.
 */
export async function pickResource(
  options: ResourcePickerOptions,
  kind: ResourceChoice['kind'],
): Promise<ResourceChoice | undefined> {
  const { registry, lists } = options;
  const servers = registry.servers.filter(({ config }) => lists.has(config.id));
  if (servers.length === 0) {
    const sentence = l10n.t('No running server has resources.');
    tell('information', sentence, startServerAction());
    return undefined;
  }
  await withDelayedProgress(
    l10n.t('Listing resources…'),
    () => Promise.all(servers.map(({ config }) => lists.ensure(config.id))),
    false,
  );
  const all = servers.flatMap((server) => itemsOf(server, lists, kind));
  if (kind === 'template' && all.length === 0) {
    tell('information', l10n.t('No running server has resource templates.'));
    return undefined;
  }
  return ask(kind, (typed) => [
    ...found(all, typed),
    ...(kind === 'resource' ? typedItems(servers, typed) : []),
  ]);
}

async function ask(
  kind: ResourceChoice['kind'],
  find: (typed: string) => Item[],
): Promise<ResourceChoice | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title =
    kind === 'resource' ? l10n.t('Open Resource') : l10n.t('Open Resource from Template');
  pick.placeholder =
    kind === 'resource' ? l10n.t('Choose a resource, or enter a URI') : l10n.t('Choose a template');
  pick.items = find('');
  pick.onDidChangeValue((typed) => (pick.items = find(typed)));
  return chosenItem(pick);
}

function itemsOf(
  { config }: Server,
  lists: Pick<ResourceLists, 'of'>,
  kind: ResourceChoice['kind'],
): Item[] {
  const { resources, templates } = lists.of(config.id);
  const items =
    kind === 'resource'
      ? resources.map((resource) => resourceItem(config.id, resource))
      : templates.map((template) => templateItem(config.id, template));
  if (items.length === 0) return [];
  return [{ label: plain(config.label), kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function resourceItem(serverId: string, resource: Resource): Item {
  return {
    label: plain(resourceTitle(resource)),
    description: plain(resourceBrief(resource)),
    detail: plain(resource.uri),
    iconPath: resourceIcon(resource),
    alwaysShow: true,
    choice: { kind: 'resource', serverId, uri: resource.uri },
  };
}

function templateItem(serverId: string, template: ResourceTemplate): Item {
  const { uriTemplate } = template;
  return {
    label: plain(resourceTitle(template)),
    detail: plain(uriTemplate),
    iconPath: new vscode.ThemeIcon('symbol-snippet'),
    alwaysShow: true,
    choice: { kind: 'template', serverId, uriTemplate },
  };
}

/**
 * Filters by our own search, which is fast for long lists. Separators stay if a row below them
 * matches.
 */
function found(items: readonly Item[], typed: string): Item[] {
  const words = typed.toLowerCase().split(/\s+/);
  const fits = (item: Item) => {
    const text = `${item.label}\n${item.detail ?? ''}\n${item.description ?? ''}`.toLowerCase();
    return item.choice === undefined || words.every((word) => text.includes(word));
  };
  const shown = items.filter(fits).slice(0, maxRows);
  return shown.filter(
    (item, index) => item.choice !== undefined || shown[index + 1]?.choice !== undefined,
  );
}

/** A typed URI need not be listed; the user picks the server that reads it. */
function typedItems(servers: readonly Server[], typed: string): Item[] {
  const uri = typed.trim();
  if (!/^[a-z][a-z0-9+.-]*:./i.test(uri)) return [];
  return servers.map(({ config }) => ({
    label: l10n.t('Read this URI from server “{0}”', plain(config.label)),
    detail: plain(uri),
    iconPath: new vscode.ThemeIcon('link'),
    alwaysShow: true,
    choice: { kind: 'resource', serverId: config.id, uri },
  }));
}

function plain(text: string): string {
  return withoutIcons(visibleText(text, maxChars));
}
