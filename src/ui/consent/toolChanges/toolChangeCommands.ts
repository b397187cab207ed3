import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../../core/visibleText';
import type { ServerRegistry } from '../../../host/connections/registry';
import { toolFields, type AcceptedDefinition } from '../../../host/consent/pins/pinDefinition';
import type { Pins } from '../../../host/consent/pins/pins';
import { commands } from '../../../ids';
import { commandTarget } from '../../editor/commandTarget';
import { notify } from '../../editor/messages';
import { isOwnArgument } from '../../editor/ownArguments';
import { quoted } from '../../format/sentences';
import { type ToolChangeDocuments, definitionText } from './toolChangeDocuments';
import {
  pickChange,
  pickChanges,
  acceptToolChanges,
  type ToolChange,
  toolChanges,
} from './toolChangePicker';

export interface ToolChangeCommandsOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly pins: Pick<Pins, 'marks' | 'definition' | 'acceptChanges'>;
  readonly documents: Pick<ToolChangeDocuments, 'show' | 'showDiff'>;
}

const noticeMs = 3_000;

/**
 * Registers showing and accepting changes: for the row of a tool or server, or from the palette.
 */
export function registerToolChangeCommands(options: ToolChangeCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.showToolChanges, (argument: unknown) =>
      showToolChanges(options, argument),
    ),
    vscode.commands.registerCommand(commands.acceptToolChanges, (argument: unknown) =>
      acceptChanges(options, argument),
    ),
  );
}

async function showToolChanges(
  options: ToolChangeCommandsOptions,
  argument: unknown,
): Promise<void> {
  const changes = targetChanges(options, argument);
  if (changes.length === 0) return notifyNothing();
  const isOne = commandTarget(argument).toolName !== undefined;
  const change = isOne ? changes[0] : await pickChange(changes);
  if (change !== undefined) await showChange(options, change);
}

async function acceptChanges(options: ToolChangeCommandsOptions, argument: unknown): Promise<void> {
  const changes = targetChanges(options, argument);
  if (changes.length === 0) return notifyNothing();
  const isOne = commandTarget(argument).toolName !== undefined;
  // Only clicking on the row proves that the user means this tool.
  const accepted = isOne && isOwnArgument(argument) ? changes : await pickChanges(changes);
  const [first] = accepted;
  if (first === undefined) return;
  await acceptToolChanges(options.pins, accepted);
  const message =
    accepted.length === 1
      ? l10n.t('Accepted “{0}”', quoted(first.toolName))
      : l10n.t('Accepted {0} changes', accepted.length);
  vscode.window.setStatusBarMessage(escapeIcons(message), noticeMs);
}

function targetChanges(
  { registry, pins }: ToolChangeCommandsOptions,
  argument: unknown,
): readonly ToolChange[] {
  const { serverId, toolName } = commandTarget(argument);
  const changes = toolChanges(registry, pins, serverId);
  return toolName === undefined ? changes : changes.filter((each) => each.toolName === toolName);
}

async function showChange(
  { pins, documents }: ToolChangeCommandsOptions,
  { server, toolName, tool, kind }: ToolChange,
): Promise<void> {
  const after = tool === undefined ? '' : definitionText(tool);
  if (kind === 'new') return documents.show(toolName, after);
  const kept = await pins.definition(server.config, toolName);
  const before = kept === undefined ? lostText() : keptText(kept);
  if (kind === 'gone') return documents.show(toolName, before);
  const title = l10n.t('{0} on {1}: accepted ↔ now', quoted(toolName), quoted(server.config.label));
  return documents.showDiff(toolName, title, before, after);
}

function keptText({ tool, cut }: AcceptedDefinition): string {
  return definitionText(
    tool,
    toolFields.filter((field) => cut[field] !== undefined),
  );
}

function lostText(): string {
  return l10n.t('The accepted definition can no longer be read.');
}

function notifyNothing(): void {
  notify('information', l10n.t('No tool of a running server has changed since you accepted it.'));
}
