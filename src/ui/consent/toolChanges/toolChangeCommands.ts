import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../../core/visibleText';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { Server } from '../../../host/connections/snapshot';
import { toolFields, type AcceptedDefinition } from '../../../host/consent/pins/pinDefinition';
import type { Pins } from '../../../host/consent/pins/pins';
import { commands } from '../../../ids';
import { commandTarget } from '../../editor/commandTarget';
import { notify } from '../../editor/messages';
import { isOwnArgument } from '../../editor/ownArguments';
import { quoted } from '../../format/sentences';
import { type ToolChangeDocuments, definitionText, skillText } from './toolChangeDocuments';
import {
  pickChange,
  pickChanges,
  acceptToolChanges,
  type ToolChange,
  toolChanges,
} from './toolChangePicker';

type ChangePins = Pick<Pins, 'marks' | 'definition' | 'acceptChanges'>;

export interface ToolChangeCommandsOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly pins: ChangePins;
  /** Skills, each as a tool. */
  readonly skills?: { readonly servers: readonly Server[]; readonly pins: ChangePins };
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
  const isOne = nameOf(argument) !== undefined;
  const change = isOne ? changes[0] : await pickChange(changes);
  if (change !== undefined) await showChange(options, change);
}

async function acceptChanges(options: ToolChangeCommandsOptions, argument: unknown): Promise<void> {
  const changes = targetChanges(options, argument);
  if (changes.length === 0) return notifyNothing();
  const isOne = nameOf(argument) !== undefined;
  // Only clicking on the row proves that the user means this tool.
  const accepted = isOne && isOwnArgument(argument) ? changes : await pickChanges(changes);
  const [first] = accepted;
  if (first === undefined) return;
  const ofSkills = accepted.filter(({ isSkill }) => isSkill === true);
  await acceptToolChanges(
    options.pins,
    accepted.filter(({ isSkill }) => isSkill !== true),
  );
  await acceptToolChanges(options.skills?.pins ?? options.pins, ofSkills);
  const message =
    accepted.length === 1
      ? l10n.t('Accepted “{0}”', quoted(first.toolName))
      : l10n.t('Accepted {0} changes', accepted.length);
  vscode.window.setStatusBarMessage(escapeIcons(message), noticeMs);
}

function targetChanges(
  { registry, pins, skills }: ToolChangeCommandsOptions,
  argument: unknown,
): readonly ToolChange[] {
  const { serverId } = commandTarget(argument);
  const name = nameOf(argument);
  const ofSkills = skills === undefined ? [] : toolChanges(skills, skills.pins, serverId);
  const changes = [
    ...toolChanges(registry, pins, serverId),
    ...ofSkills.map((change): ToolChange => ({ ...change, isSkill: true })),
  ];
  return name === undefined ? changes : changes.filter(({ toolName }) => toolName === name);
}

/** Returns the name of a tool, or the URI of a skill. */
function nameOf(argument: unknown): string | undefined {
  const { toolName, uri } = commandTarget(argument);
  return toolName ?? uri;
}

async function showChange(
  { pins, skills, documents }: ToolChangeCommandsOptions,
  { server, toolName, tool, kind, isSkill }: ToolChange,
): Promise<void> {
  const textOf = isSkill === true ? skillText : definitionText;
  const after = tool === undefined ? '' : textOf(tool);
  if (kind === 'new') return documents.show(toolName, after);
  const accepted = isSkill === true ? (skills?.pins ?? pins) : pins;
  const kept = await accepted.definition(server.config, toolName);
  const before = kept === undefined ? lostText() : keptText(kept, textOf);
  if (kind === 'gone') return documents.show(toolName, before);
  const title = l10n.t('{0} on {1}: accepted ↔ now', quoted(toolName), quoted(server.config.label));
  return documents.showDiff(toolName, title, before, after);
}

function keptText({ tool, cut }: AcceptedDefinition, textOf: typeof definitionText): string {
  return textOf(
    tool,
    toolFields.filter((field) => cut[field] !== undefined),
  );
}

function lostText(): string {
  return l10n.t('The accepted definition can no longer be read.');
}

function notifyNothing(): void {
  notify(
    'information',
    l10n.t('No tool or skill of a running server has changed since you accepted it.'),
  );
}
