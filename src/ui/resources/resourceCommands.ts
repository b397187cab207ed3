import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { expandUriTemplate, readUriTemplate } from '../../core/resources/uriTemplate';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ResourceLists } from '../../host/resources/resourceLists';
import { commands } from '../../ids';
import { commandTarget } from '../editor/commandTarget';
import { withDelayedProgress } from '../editor/delayedProgress';
import { tell, tellServerError } from '../editor/messages';
import { confirmIfForeign } from '../editor/ownArguments';
import type { ResourceDocuments } from '../results/resourceDocuments';
import { activeUri } from '../editor/resultTabs';
import { quoted } from '../format/sentences';
import { pickResource } from './resourcePicker';
import { resourceTitle } from '../format/formatResource';
import { askForVariables, type TemplateQuestion } from './templateSteps';

export interface ResourceCommandsOptions {
  readonly registry: ServerRegistry;
  readonly lists: ResourceLists;
  readonly resources: Pick<ResourceDocuments, 'open' | 'of'>;
}

/**
 * Registers opening, rereading, copying and listing resources: from a row, a document, or the
 * palette.
 */
export function registerResourceCommands(options: ResourceCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    on(commands.openResource, (argument) => openResource(options, argument)),
    on(commands.openTemplate, (argument) => openTemplate(options, argument)),
    on(commands.readAgain, (argument) => readAgain(options, argument)),
    on(commands.copyResourceUri, (argument) => copyUri(options, argument)),
    on(commands.refreshResources, (argument) => refresh(options, argument)),
  );
}

function on(command: string, act: (argument: unknown) => Promise<unknown>): vscode.Disposable {
  return vscode.commands.registerCommand(command, act);
}

async function openResource(options: ResourceCommandsOptions, argument: unknown): Promise<void> {
  const { serverId, uri } = commandTarget(argument);
  const target =
    serverId === undefined || uri === undefined
      ? await pickResource(options, 'resource')
      : ({ kind: 'resource', serverId, uri } as const);
  if (target?.kind !== 'resource') return;
  const isNamed = serverId !== undefined && uri !== undefined;
  const label = options.registry.find(target.serverId)?.config.label ?? target.serverId;
  const question = l10n.t('Read “{0}” from server “{1}”?', quoted(target.uri), quoted(label));
  if (isNamed && !(await confirmIfForeign(argument, question, l10n.t('Read')))) return;
  await options.resources.open(target.serverId, target.uri);
}

async function openTemplate(options: ResourceCommandsOptions, argument: unknown): Promise<void> {
  const { serverId, uriTemplate } = commandTarget(argument);
  if (serverId !== undefined && uriTemplate !== undefined) {
    await fillAndOpen(options, { serverId, uriTemplate }, false);
    return;
  }
  for (;;) {
    const target = await pickResource(options, 'template');
    if (target?.kind !== 'template') return;
    if ((await fillAndOpen(options, target, true)) !== 'back') return;
  }
}

/** Returns `back` if the user wants another template, which needs `isPicked`. */
async function fillAndOpen(
  { registry, lists, resources }: ResourceCommandsOptions,
  { serverId, uriTemplate }: { readonly serverId: string; readonly uriTemplate: string },
  isPicked: boolean,
): Promise<'back' | undefined> {
  const label = quoted(registry.find(serverId)?.config.label ?? serverId);
  const read = readUriTemplate(uriTemplate);
  if (read.kind === 'broken') {
    tell(
      'error',
      l10n.t(
        'The template of server “{0}” is not valid: “{1}” violates RFC 6570. Tell its author.',
        label,
        quoted(read.place),
      ),
    );
    return undefined;
  }
  const listed = lists.of(serverId).templates.find((each) => each.uriTemplate === uriTemplate);
  const question: TemplateQuestion = {
    title: listed === undefined ? label : resourceTitle(listed),
    uriTemplate,
    variables: read.variables,
    complete: async (variable, value, known, token) =>
      registry
        .client(serverId)
        .resources.complete({ uriTemplate, variable, value, known }, { token }),
  };
  const values = await askForVariables(question, isPicked);
  if (values === 'back') return values;
  if (values !== undefined) {
    await resources.open(serverId, expandUriTemplate(uriTemplate, values));
  }
  return undefined;
}

/** `argument` is the document whose title has the button. Otherwise the active document is used. */
async function readAgain({ resources }: ResourceCommandsOptions, argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : activeUri();
  const document = uri && resources.of(uri);
  if (document !== undefined) await resources.open(document.serverId, document.uri, true);
  else {
    tell('information', l10n.t('Open a resource first to read it again from its server.'));
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

/** Without a row it refreshes the resources of every running server. */
async function refresh(
  { registry, lists }: ResourceCommandsOptions,
  argument: unknown,
): Promise<void> {
  const { serverId } = commandTarget(argument);
  const servers = registry.servers.filter(
    ({ config }) => lists.has(config.id) && (serverId === undefined || config.id === serverId),
  );
  if (servers.length === 0) {
    tell('information', l10n.t('No running server has resources.'));
    return;
  }
  await Promise.all(
    servers.map(async ({ config }) => {
      const title = l10n.t('Listing the resources of “{0}”…', quoted(config.label));
      try {
        await withDelayedProgress(title, () => lists.refresh(config.id), false);
      } catch (error) {
        tellServerError(config, toMcpError(error));
      }
    }),
  );
}
