import * as l10n from '@vscode/l10n';
import { type MarkdownString, ThemeIcon, TreeItem } from 'vscode';
import type { ResourceFacts } from '../../core/types';
import { commands, contextValues } from '../../ids';
import { annotationSentences, formatSize } from '../format/formatFile';
import { quoted } from '../format/sentences';
import { resourceBrief, resourceIcon, resourceTitle } from '../format/formatResource';
import type { TreeModel } from './treeModel';
import { type ResourceRow, type TemplateRow } from './treeRows';
import {
  type RowKind,
  highlighted,
  boldLine,
  foreignLine,
  foreignText,
  markdownTooltip,
  iconLines,
} from './rowKind';

/** The resource is not read until the user presses Enter. */
export const resourceRow: RowKind<'resource'> = {
  item: resourceItem,
  tooltip: (row, { listed }) => {
    const resource = listed.resource(row);
    const { size } = resource ?? {};
    const sizes = size === undefined ? [] : [l10n.t('Size: {0}', formatSize(size))];
    return factsTooltip(resource, [l10n.t('URI: {0}', row.uri)], sizes);
  },
  command: (row) => ({
    title: l10n.t('Open Resource'),
    command: commands.openResource,
    arguments: [row],
  }),
};

export const templateRow: RowKind<'template'> = {
  item: templateItem,
  tooltip: (row, { listed }) =>
    factsTooltip(listed.template(row), [l10n.t('Template: {0}', row.uriTemplate)]),
  command: (row) => ({
    title: l10n.t('Open Resource from Template…'),
    command: commands.openTemplate,
    arguments: [row],
  }),
};

function resourceItem(row: ResourceRow, { listed, words }: TreeModel): TreeItem {
  const resource = listed.resource(row);
  if (resource === undefined) return new TreeItem(quoted(row.uri));
  const title = resourceTitle(resource) || quoted(row.uri);
  const item = new TreeItem(highlighted(title, words));
  const brief = resourceBrief(resource);
  item.description = brief;
  item.iconPath = resourceIcon(resource);
  item.contextValue = contextValues.resource;
  item.accessibilityInformation = {
    label: brief === '' ? l10n.t('Resource {0}', title) : l10n.t('Resource {0}: {1}', title, brief),
  };
  return item;
}

function templateItem(row: TemplateRow, { listed, words }: TreeModel): TreeItem {
  const template = listed.template(row);
  if (template === undefined) return new TreeItem(quoted(row.uriTemplate));
  const title = l10n.t('{0}…', resourceTitle(template));
  const item = new TreeItem(highlighted(title, words));
  const address = quoted(row.uriTemplate);
  item.description = address;
  item.iconPath = new ThemeIcon('symbol-snippet');
  item.contextValue = contextValues.template;
  item.accessibilityInformation = {
    label: l10n.t('Resource template {0}: {1}', title, address),
  };
  return item;
}

function factsTooltip(
  facts: ResourceFacts | undefined,
  address: readonly string[],
  sizes: readonly string[] = [],
): MarkdownString {
  const { title, name = '', description = '', mimeType, icons } = facts ?? {};
  const shown = title ?? name;
  const lines = [
    ...(title === undefined || title === name ? [] : [l10n.t('Name: {0}', name)]),
    ...address,
    ...(mimeType === undefined ? [] : [l10n.t('Type: {0}', mimeType)]),
    ...sizes,
    ...annotationSentences(facts?.annotations),
  ];
  return markdownTooltip([
    ...(shown === '' ? [] : [boldLine(shown)]),
    ...(description === '' ? [] : [foreignText(description)]),
    ...lines.map(foreignLine),
    ...iconLines(icons),
  ]);
}
