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
  const change = isOneTarget(argument) ? changes[0] : await pickChange(changes);
  if (change !== undefined) await showChange(options, change);
}

async function acceptChanges(options: ToolChangeCommandsOptions, argument: unknown): Promise<void> {
  const changes = targetChanges(options, argument);
  if (changes.length === 0) return notifyNothing();
  // Only clicking on the row proves that the user means this tool.
  const isClicked = isOneTarget(argument) && isOwnArgument(argument);
  const accepted = isClicked ? changes : await pickChanges(changes);
  const [first] = accepted;
  if (first === undefined) return;
  for (const isSkill of [false, true]) {
    const own = accepted.filter((each) => (each.isSkill === true) === isSkill);
    await acceptToolChanges(pinsOf(options, isSkill), own);
  }
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
  const { serverId, toolName, uri } = commandTarget(argument);
  const ofTools = toolChanges(registry, pins, serverId);
  const ofSkills =
    skills === undefined
      ? []
      : toolChanges(skills, skills.pins, serverId).map(
          (each) => ({ ...each, isSkill: true }) as const,
        );
  // A server can name a tool like a skill, so a row of one kind never means the other.
  if (toolName !== undefined) return ofTools.filter((each) => each.toolName === toolName);
  if (uri !== undefined) return ofSkills.filter((each) => each.toolName === uri);
  return [...ofTools, ...ofSkills];
}

/** True for a tool or a skill, and not for a whole server. */
function isOneTarget(argument: unknown): boolean {
  const { toolName, uri } = commandTarget(argument);
  return toolName !== undefined || uri !== undefined;
}

function pinsOf({ pins, skills }: ToolChangeCommandsOptions, isSkill: boolean): ChangePins {
  return isSkill && skills !== undefined ? skills.pins : pins;
}

async function showChange(
  options: ToolChangeCommandsOptions,
  { server, toolName, tool, kind, isSkill = false }: ToolChange,
): Promise<void> {
  const { documents } = options;
  const textOf = isSkill ? skillText : definitionText;
  const after = tool === undefined ? '' : textOf(tool);
  if (kind === 'new') return documents.show(toolName, after);
  const kept = await pinsOf(options, isSkill).definition(server.config, toolName);
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
