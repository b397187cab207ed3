import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Resource, ResourceTemplate } from '../../core/types';
import type { Server } from '../../host/connections/snapshot';
import type { ResourceEntry } from '../../host/resources/serverLists';
import type { ChoiceItem } from '../editor/picker';
import { resourceBrief, resourceIcon, resourceTitle } from '../format/formatResource';
import { type ListPicker, pickListed } from './listPicker';

/** The picked resource or template. */
export type ResourceChoice =
  | { readonly kind: 'resource'; readonly serverId: string; readonly uri: string }
  | { readonly kind: 'template'; readonly serverId: string; readonly uriTemplate: string };

type ResourcePicker = ListPicker<ResourceEntry, ResourceChoice>;

/**
 * Lets the user choose a resource of a running server, or type a URI that no server lists. Resolves
 * with `undefined` after a message if there is nothing to choose, and if the picker is closed.
 */
export function pickResource(
  { registry, lists }: Pick<ResourcePicker, 'registry' | 'lists'>,
  kind: ResourceChoice['kind'],
): Promise<ResourceChoice | undefined> {
  const common = {
    registry,
    lists,
    listing: l10n.t('Listing resources…'),
    noServer: l10n.t('No running server has resources.'),
  };
  return pickListed<ResourceEntry, ResourceChoice>(
    kind === 'resource'
      ? {
          ...common,
          title: l10n.t('Open Resource'),
          placeholder: l10n.t('Choose a resource, or enter a URI'),
          toItem: (id, entry) => ('uri' in entry ? resourceItem(id, entry) : undefined),
          typedItems,
        }
      : {
          ...common,
          title: l10n.t('Open Resource from Template'),
          placeholder: l10n.t('Choose a template'),
          noEntry: l10n.t('No running server has resource templates.'),
          toItem: (id, entry) => ('uriTemplate' in entry ? templateItem(id, entry) : undefined),
        },
  );
}

function resourceItem(serverId: string, resource: Resource): ChoiceItem<ResourceChoice> {
  return {
    label: resourceTitle(resource),
    description: resourceBrief(resource),
    detail: resource.uri,
    iconPath: resourceIcon(resource),
    choice: { kind: 'resource', serverId, uri: resource.uri },
  };
}

function templateItem(serverId: string, template: ResourceTemplate): ChoiceItem<ResourceChoice> {
  const { uriTemplate } = template;
  return {
    label: resourceTitle(template),
    detail: uriTemplate,
    iconPath: new vscode.ThemeIcon('symbol-snippet'),
    choice: { kind: 'template', serverId, uriTemplate },
  };
}

/** A typed URI need not be listed; the user picks the server that reads it. */
function typedItems(servers: readonly Server[], typed: string): ChoiceItem<ResourceChoice>[] {
  const uri = typed.trim();
  if (!/^[a-z][a-z0-9+.-]*:./i.test(uri)) return [];
  return servers.map(({ config }) => ({
    label: l10n.t('Read this URI from server “{0}”', config.label),
    detail: uri,
    iconPath: new vscode.ThemeIcon('link'),
    choice: { kind: 'resource', serverId: config.id, uri },
  }));
}
