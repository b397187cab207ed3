import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TextField } from '../../core/arguments/inputField';
import {
  expandUriTemplate,
  maxValueChars,
  readUriTemplate,
  type TemplateVariable,
} from '../../core/resources/uriTemplate';
import type { Drafts } from '../../core/arguments/fieldDrafts';
import { otherTexts, toTextField } from '../../core/arguments/textFields';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ResourceLists, ResourceEntry } from '../../host/resources/serverLists';
import { commands } from '../../ids';
import type { FieldCompletion } from '../arguments/fieldStep';
import { completeBy } from '../arguments/completions';
import { askFields } from '../arguments/fieldQuestions';
import { quickInputText } from '../arguments/formatField';
import { notify } from '../editor/messages';
import { confirmIfForeign, commandTarget } from '../editor/ownArguments';
import type { ResourceDocuments } from '../results/resourceDocuments';
import { activeUri } from '../editor/resultTabs';
import { quoted } from '../format/sentences';
import { refreshLists, type ListPicker, pickListed } from './listPicker';
import { resourceTitle, resourceBrief, resourceIcon } from '../format/formatResource';
import type { Resource, ResourceTemplate } from '../../core/types';
import type { Server } from '../../host/connections/snapshot';
import type { ChoiceItem } from '../editor/picker';
import { registerRowCommand } from '../editor/rowCommands';

interface ResourceCommandsOptions {
  readonly registry: ServerRegistry;
  readonly lists: ResourceLists;
  readonly resources: Pick<ResourceDocuments, 'open' | 'of'>;
}

const maxTitleChars = 80;

/**
 * Registers opening, rereading, copying and listing resources: from a row, a document, or the
 * palette.
 */
export function registerResourceCommands(options: ResourceCommandsOptions): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    registerCommand(commands.openResource, (argument: unknown) => openResource(options, argument)),
    registerCommand(commands.openTemplate, (argument: unknown) => openTemplate(options, argument)),
    registerCommand(commands.readAgain, (argument: unknown) => readAgain(options, argument)),
    registerRowCommand(commands.copyResourceUri, (argument) => copyUri(options, argument)),
    registerRowCommand(commands.refreshResources, (argument) =>
      refreshLists(options, commandTarget(argument).serverId, {
        none: l10n.t('No running server has resources.'),
        title: (server) => l10n.t('Listing the resources of “{0}”…', server),
      }),
    ),
  );
}

async function openResource(options: ResourceCommandsOptions, argument: unknown): Promise<void> {
  await openNamedOrPicked(options, argument, async () => {
    const target = await pickResource(options, 'resource');
    return target?.kind === 'resource' ? target : undefined;
  });
}

/** Opens the resource that a command is for, after a question if it may not be the user's choice. */
export async function openNamedOrPicked(
  {
    registry,
    resources,
  }: Pick<ResourceCommandsOptions, 'registry'> & {
    readonly resources: Pick<ResourceDocuments, 'open'>;
  },
  argument: unknown,
  pick: () => Promise<{ readonly serverId: string; readonly uri: string } | undefined>,
): Promise<void> {
  const { serverId, uri } = commandTarget(argument);
  if (serverId === undefined || uri === undefined) {
    const picked = await pick();
    if (picked !== undefined) await resources.open(picked.serverId, picked.uri);
    return;
  }
  if (await mayRead(registry, argument, { serverId, uri })) await resources.open(serverId, uri);
}

function mayRead(
  registry: Pick<ServerRegistry, 'find'>,
  argument: unknown,
  { serverId, uri }: { readonly serverId: string; readonly uri: string },
): Promise<boolean> {
  const label = registry.find(serverId)?.config.label ?? serverId;
  const question = l10n.t('Read “{0}” from server “{1}”?', quoted(uri), quoted(label));
  return confirmIfForeign(argument, question, l10n.t('Read'));
}

async function openTemplate(options: ResourceCommandsOptions, argument: unknown): Promise<void> {
  const { serverId, uriTemplate } = commandTarget(argument);
  if (serverId !== undefined && uriTemplate !== undefined) {
    const read = readUriTemplate(uriTemplate);
    // Without variables, there is nothing that the user would type.
    const isFixed = read.kind === 'usable' && read.variables.length === 0;
    const target = { serverId, uri: uriTemplate };
    if (isFixed && !(await mayRead(options.registry, argument, target))) return;
    await fillAndOpen(options, { serverId, uriTemplate }, false);
    return;
  }
  for (;;) {
    const target = await pickResource(options, 'template');
    if (target?.kind !== 'template') return;
    if ((await fillAndOpen(options, target, true)) !== 'back') return;
  }
}

interface TemplateTarget {
  readonly serverId: string;
  readonly uriTemplate: string;
}

/** Returns `back` if the user wants another template, which needs `isPicked`. */
async function fillAndOpen(
  { registry, lists, resources }: ResourceCommandsOptions,
  target: TemplateTarget,
  isPicked: boolean,
): Promise<'back' | undefined> {
  const { serverId, uriTemplate } = target;
  const label = quoted(registry.find(serverId)?.config.label ?? serverId);
  const read = readUriTemplate(uriTemplate);
  if (read.kind === 'broken') {
    notify(
      'error',
      l10n.t(
        'The template of server “{0}” is not valid: “{1}” violates RFC 6570. Tell its author.',
        label,
        quoted(read.place),
      ),
    );
    return undefined;
  }
  const listed = lists
    .of(serverId)
    .entries.find((each) => 'uriTemplate' in each && each.uriTemplate === uriTemplate);
  const fields = read.variables.map(variableField);
  const { kind, drafts } = await askFields({
    title: listed === undefined ? label : quickInputText(resourceTitle(listed), maxTitleChars),
    fields,
    drafts: new Map(),
    problemOf: valueProblem,
    completionOf: ({ name }, entered) => completionOf(registry, target, fields, entered, name),
    hasBefore: isPicked,
  });
  if (kind === 'back') return kind;
  if (kind === 'done') {
    const uri = expandUriTemplate(uriTemplate, otherTexts(fields, drafts));
    await resources.open(serverId, uri);
  }
  return undefined;
}

/** A row says which address its value leads to. */
function completionOf(
  registry: Pick<ServerRegistry, 'client'>,
  { serverId, uriTemplate }: TemplateTarget,
  fields: readonly TextField[],
  entered: Drafts,
  argument: string,
): FieldCompletion {
  const known = otherTexts(fields, entered, argument);
  const request = { of: { uriTemplate }, argument, known };
  return {
    complete: completeBy(() => registry.client(serverId), request),
    describe: (text) => expandUriTemplate(uriTemplate, { ...known, [argument]: text }),
  };
}

function variableField({ name, isList, isOptional, maxChars }: TemplateVariable): TextField {
  const parts = [
    ...(isList ? [l10n.t('several values, separated by commas')] : []),
    ...(maxChars === undefined ? [] : [l10n.t('only the first {0} characters are used', maxChars)]),
  ];
  const prompt = parts.length === 0 ? {} : { prompt: parts.join(', ') };
  return { ...toTextField(name, !isOptional), ...prompt };
}

function valueProblem(_: TextField, { length }: string): string | undefined {
  return length > maxValueChars ? l10n.t('at most {0} characters', maxValueChars) : undefined;
}

/** `argument` is the document whose title has the button. Otherwise the active document is used. */
async function readAgain({ resources }: ResourceCommandsOptions, argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : activeUri();
  const document = uri && resources.of(uri);
  if (document !== undefined) await resources.open(document.serverId, document.uri, true);
  else {
    notify('information', l10n.t('Open a resource first to read it again from its server.'));
  }
}

async function copyUri(options: ResourceCommandsOptions, argument: unknown): Promise<void> {
  const { uri, uriTemplate } = commandTarget(argument);
  const active = activeUri();
  const address = uri ?? uriTemplate ?? (active && options.resources.of(active)?.uri);
  const chosen = address ?? (await pickedUri(options));
  if (chosen !== undefined) await vscode.env.clipboard.writeText(chosen);
}

async function pickedUri(options: ResourceCommandsOptions): Promise<string | undefined> {
  const picked = await pickResource(options, 'resource');
  return picked?.kind === 'resource' ? picked.uri : undefined;
}

/** The picked resource or template. */
type ResourceChoice =
  | { readonly kind: 'resource'; readonly serverId: string; readonly uri: string }
  | { readonly kind: 'template'; readonly serverId: string; readonly uriTemplate: string };

type ResourcePicker = ListPicker<ResourceEntry, ResourceChoice>;

/**
 * Lets the user choose a resource of a running server, or type a URI that no server lists. Resolves
 * with `undefined` after a message if there is nothing to choose, and if the picker is closed.
 */
function pickResource(
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
