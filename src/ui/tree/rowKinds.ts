import type { Row, NoMatchRow, OriginRow, ToStartRow } from './treeRows';
import type { RowKind } from './rowKind';
import { problemRow } from './problemRow';
import { branchPageRow, branchRow, listNoteRow } from './branchRow';
import { promptRow } from './promptRow';
import { resourceRow, templateRow } from './resourceRow';
import { skillFileRow, skillRow } from './skillRow';
import { serverRow } from './serverRow';
import { goneRow, toolGroupRow, toolRow } from './toolRow';
import * as l10n from '@vscode/l10n';
import { type Command, ThemeIcon, TreeItem, TreeItemCollapsibleState, workspace } from 'vscode';
import { commands } from '../../ids';
import { formatSource } from '../format/sentencesOfProblems';
import { startCommand } from '../format/startCommand';
import type { TreeModel } from './treeModel';

const originRow: RowKind<'origin'> = { item: originItem };

/** Is shown where the filter or the tool set leaves no tool. Its command shows more tools again. */
const noMatchRow: RowKind<'noMatch'> = {
  item: ({ because }) => noMatchItem(because),
  command: noMatchCommand,
};

const toStartRow: RowKind<'toStart'> = {
  item: toStartItem,
  command: (row, model) => {
    const start = toStartCommand(row, model);
    return { ...start, arguments: start.arguments ?? [row] };
  },
};

function originItem(row: OriginRow, { origins }: TreeModel): TreeItem {
  const servers = origins.serverIdsOf(row).length;
  const item = new TreeItem(formatSource(row.source), TreeItemCollapsibleState.Expanded);
  item.description = servers === 1 ? l10n.t('1 server') : l10n.t('{0} servers', servers);
  item.iconPath = new ThemeIcon('path' in row.source ? 'json' : 'settings-gear');
  return item;
}

function noMatchItem(because: NoMatchRow['because']): TreeItem {
  if (because === 'toolSet') return leftOutItem();
  const item = new TreeItem(l10n.t('No tool matches the filter'));
  item.description = l10n.t('Clear Filter');
  item.iconPath = new ThemeIcon('filter');
  item.accessibilityInformation = {
    label: l10n.t('No tool matches the filter. Press Enter to clear it.'),
  };
  return item;
}

function leftOutItem(): TreeItem {
  const item = new TreeItem(l10n.t('No tool in the tool set'));
  item.description = l10n.t('Select Tool Set…');
  item.iconPath = new ThemeIcon('tools');
  item.accessibilityInformation = {
    label: l10n.t(
      'The selected tool set has no tool of this server. Press Enter to select another one.',
    ),
  };
  return item;
}

function noMatchCommand({ because }: NoMatchRow): Command {
  return because === 'filter'
    ? { title: l10n.t('Clear Filter'), command: commands.clearFilter }
    : { title: l10n.t('Select Tool Set…'), command: commands.selectToolSet };
}

function toStartCommand(row: ToStartRow, model: TreeModel): Command {
  const { config, signIn } = model.server(row) ?? {};
  const { transport } = config ?? {};
  if (signIn?.kind === 'needed' || signIn?.kind === 'signedOut') {
    return startCommand(undefined, l10n.t('Sign In'), commands.signIn);
  }
  return transport === undefined || transport.kind === 'stdio'
    ? startCommand()
    : startCommand(undefined, l10n.t('Connect'), commands.connectServer);
}

function toStartItem(row: ToStartRow, model: TreeModel): TreeItem {
  const item = new TreeItem(toStartCommand(row, model).title);
  item.description = workspace.isTrusted ? l10n.t('to see its tools') : l10n.t('to start servers');
  item.iconPath = new ThemeIcon(workspace.isTrusted ? 'play' : 'shield');
  return item;
}

/** All kinds of rows. A new kind is a module in this folder and a line here. */
const rowKinds: { readonly [Kind in Row['kind']]: RowKind<Kind> } = {
  origin: originRow,
  server: serverRow,
  group: toolGroupRow,
  tool: toolRow,
  gone: goneRow,
  problem: problemRow,
  noMatch: noMatchRow,
  toStart: toStartRow,
  branch: branchRow,
  branchPage: branchPageRow,
  resource: resourceRow,
  template: templateRow,
  prompt: promptRow,
  skill: skillRow,
  skillFile: skillFileRow,
  listNote: listNoteRow,
};

export function rowKindOf<Kind extends Row['kind']>({
  kind,
}: {
  readonly kind: Kind;
}): RowKind<Kind> {
  return rowKinds[kind];
}
