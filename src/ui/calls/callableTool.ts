import * as l10n from '@vscode/l10n';
import { McpError } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { Gate } from '../../host/calls/gate';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry, Server } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import type { CallTarget } from '../arguments/argumentDocuments';
import { notifyServerError, notify } from '../editor/messages';
import { confirmUnlessNamed } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import type { PickersOfCall } from '../picking/focusPlaceholder';
import type { ServerActions, OnStartBegun } from '../servers/serverActions';

interface CallableToolOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly actions: Pick<ServerActions, 'startForUse'>;
}

/**
 * Returns the tool of a row, which may no longer exist. Its server is started if the user agrees.
 * If there is no tool, the user is told why.
 *
 * @param held keeps the focus until the server has started
 */
export async function callableTool(
  { registry, actions }: CallableToolOptions,
  serverId: string,
  toolName: string,
  held?: Pick<PickersOfCall, 'start'>,
): Promise<ToolEntry | undefined> {
  const server = registry.find(serverId);
  if (server !== undefined && server.state.kind !== 'running') {
    const begun: OnStartBegun | undefined = held && ((label) => held.start(label).token);
    if (!(await actions.startForUse(serverId, true, begun))) return undefined;
    if (isToolGone(registry.find(serverId), toolName)) {
      notifyToolGone(toolName, server.config.label);
      return undefined;
    }
  }
  const tools = registry.find(serverId)?.tools ?? [];
  const named = tools.filter(({ tool }) => tool.name === toolName);
  const entry = named.find(({ tool }) => tool.callable);
  if (entry === undefined) notifyNotCallable(toolName, named.length > 0);
  if (entry?.isDisabled !== true) return entry;
  const label = server?.config.label ?? serverId;
  notifyServerError({ id: serverId, label }, new McpError('toolDisabled', { detail: toolName }));
  return undefined;
}

/** True if the server runs and does not list the tool. */
function isToolGone(server: Server | undefined, toolName: string): boolean {
  if (server?.state.kind !== 'running') return false;
  return server.tools.every(({ tool }) => tool.name !== toolName);
}

/** Says that a tool from the last run of its server no longer exists. */
function notifyToolGone(toolName: string, label: string): void {
  const sentence = l10n.t(
    '“{0}” no longer exists: server “{1}” does not list it.',
    quoted(toolName),
    quoted(label),
  );
  notify('warning', sentence);
}

export interface UserCallOptions {
  readonly gate: Pick<Gate, 'preview'>;
  readonly registry: Pick<ServerRegistry, 'find'>;
}

/**
 * Returns true if the arguments in the active editor are to be used, although the caller did not
 * name their document. The gate asks about most calls anyway, and that question is enough. This
 * function asks about calls that rules or permissions let pass, and about arguments that a caller
 * waits for (`isAnswer`).
 */
export async function isUserCall(
  options: UserCallOptions,
  target: CallTarget,
  value: JsonObject,
  isAnswer: boolean,
): Promise<boolean> {
  if (!isAnswer && (await isAskedAnyway(options, target, value))) return true;
  const { toolName, serverId } = target;
  const label = options.registry.find(serverId)?.config.label ?? serverId;
  const [tool, server] = [quoted(toolName), quoted(label)];
  return confirmUnlessNamed({
    isNamed: false,
    question: isAnswer
      ? l10n.t('Use these arguments for “{0}” on “{1}”?', tool, server)
      : l10n.t('Run “{0}” on “{1}” with these arguments?', tool, server),
    yes: isAnswer ? l10n.t('Use') : l10n.t('Run'),
  });
}

async function isAskedAnyway(
  { gate }: UserCallOptions,
  { serverId, toolName, origin }: CallTarget,
  value: JsonObject,
): Promise<boolean> {
  const request = { server: serverId, tool: toolName, arguments: value, origin };
  try {
    return (await gate.preview(request)).decision.effect !== 'allow';
  } catch {
    // The decision cannot be previewed now, and the call might be allowed a moment later.
    return false;
  }
}

export function notifyNotCallable(toolName: string, isListed: boolean): void {
  const name = quoted(toolName);
  const sentence = isListed
    ? l10n.t('“{0}” cannot be called because its definition is not valid.', name)
    : l10n.t('“{0}” no longer exists. Refresh the tools of its server.', name);
  notify('warning', sentence, {
    title: l10n.t('Refresh Tools'),
    command: commands.refreshTools,
  });
}
