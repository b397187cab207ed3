import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  type Risk,
  type RiskLevel,
  riskLevels,
  riskOf,
  riskOfTool,
  type RiskOverride,
} from '../../../core/risk';
import type { ServerConfig } from '../../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { ToolEntry } from '../../../host/connections/snapshot';
import type {
  RiskOverrides,
  OverrideState,
  OverrideScope,
} from '../../../host/consent/grants/overrides';
import { StorageError } from '../../../host/storage/recordStore';
import { commands } from '../../../ids';
import { notify, showStatus } from '../../editor/messages';
import { type StepAnswered, askItem, askSteps, type AskStep } from '../../editor/stepInputs';
import { formatRisk, formatLevel, formatWorld } from '../../format/formatRisk';
import { riskIcon } from '../../format/riskIcon';
import { quoted } from '../../format/sentences';
import { toolTitle } from '../../format/toolTitle';
import { rowOrPickedTool } from '../../picking/toolPicker';
import type { ServerActions } from '../../servers/serverActions';

interface SetRiskCommandOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly overrides: RiskOverrides;
}

/** Registers Set Risk…: the user sets the risk of a tool after checking it, or removes it. */
export function registerSetRisk(options: SetRiskCommandOptions): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.setRisk, (argument: unknown) =>
      setRisk(options, argument),
    ),
    // Another window may have changed the risks in the meantime, and the tree shows them.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void options.overrides.refresh();
    }),
  );
}

/** Runs for a row of the tree, or for the tool that the user selects in a picker. */
async function setRisk(options: SetRiskCommandOptions, argument: unknown): Promise<void> {
  const title = l10n.t('Set Risk');
  const found = await rowOrPickedTool(argument, { ...options, title });
  if (found === undefined) return;
  const { entry, isFromTree } = found;
  const config = options.registry.find(entry.serverId)?.config;
  if (config !== undefined)
    await askForRisk(options, config, entry, isFromTree ? 'tree' : 'palette');
}

/** The risk is bound to the definition in `entry`, which is the one that the user saw. */
async function askForRisk(
  { overrides }: SetRiskCommandOptions,
  config: ServerConfig,
  entry: ToolEntry,
  origin: 'tree' | 'palette',
): Promise<void> {
  const { tool } = entry;
  const name = quoted(toolTitle(tool));
  if (!overrides.canBind(tool)) {
    const sentence = l10n.t(
      'The risk of “{0}” cannot be set because its definition is nested too deeply to compare.',
      name,
    );
    notify('warning', sentence);
    return;
  }
  await overrides.refresh();
  const answer = await askForOverride({
    entry,
    serverLabel: config.label,
    states: overrides.of(config, tool),
    scopes: overrides.scopes,
  });
  if (answer === undefined) return;
  try {
    if (answer.kind === 'takeBack') await overrides.takeBack(config, tool.name);
    else await overrides.set({ ...answer, config, tool, origin });
  } catch (error) {
    const detail = error instanceof StorageError ? error.detail : String(error);
    notify(
      'error',
      l10n.t('The risk of “{0}” could not be stored. Details: “{1}”', name, quoted(detail)),
    );
    return;
  }
  const now = formatRisk(overrides.riskOf(config, tool));
  const sentence = l10n.t('The risk of “{0}” is now {1}', name, now);
  showStatus(sentence);
}

interface OverrideQuestion {
  readonly entry: ToolEntry;
  readonly serverLabel: string;
  /** Earlier settings for the tool. The one that is in force comes first. */
  readonly states: readonly OverrideState[];
  readonly scopes: readonly OverrideScope[];
}

export type OverrideAnswer =
  | { readonly kind: 'set'; readonly override: RiskOverride; readonly scope: OverrideScope }
  | { readonly kind: 'takeBack' };

/**
 * Asks for the level, the reach and the workspaces. Returns `undefined` as soon as a question is
 * closed.
 */
export async function askForOverride(
  question: OverrideQuestion,
): Promise<OverrideAnswer | undefined> {
  let level: RiskLevel | 'takeBack' | undefined;
  let transport: Reach | undefined;
  let [scope] = question.scopes;
  const unlessTakenBack =
    (step: AskStep): AskStep =>
    async (hasBack) =>
      level === 'takeBack' ? 'skipped' : step(hasBack);
  const end = await askSteps([
    async () => {
      const answer = await askForLevel(question, level);
      level = answer.value?.choice;
      return answer.end;
    },
    unlessTakenBack(async () => {
      const answer = await askForReach(question, transport);
      transport = answer.value?.choice;
      return answer.end;
    }),
    unlessTakenBack(async () => {
      if (question.scopes.length === 1) return 'skipped';
      const answer = await askForScope(question, scope);
      scope = answer.value?.choice;
      return answer.end;
    }),
  ]);
  if (end !== 'next' || level === undefined) return undefined;
  if (level === 'takeBack') return { kind: 'takeBack' };
  if (transport === undefined || scope === undefined) return undefined;
  const openWorld = { none: { openWorld: false }, any: { openWorld: true }, asSaid: {} }[transport];
  return { kind: 'set', override: { level, ...openWorld }, scope };
}

type Reach = 'asSaid' | 'none' | 'any';

interface ChoiceItem<T> extends vscode.QuickPickItem {
  readonly choice?: T;
}

/** The tool's risk without the user's override. */
const saidByServer = ({ entry: { tool } }: OverrideQuestion): Risk => riskOfTool(tool);

async function askForLevel(
  question: OverrideQuestion,
  before: RiskLevel | 'takeBack' | undefined,
): Promise<StepAnswered<ChoiceItem<RiskLevel | 'takeBack'>>> {
  const [counting] = question.states.filter(({ suspended }) => suspended === undefined);
  const current = counting?.record.override.level;
  const items = riskLevels.map((level): ChoiceItem<RiskLevel | 'takeBack'> => ({
    label: l10n.t('I have checked: {0}', formatLevel(level)),
    detail: levelDetail(level),
    iconPath: riskIcon(riskOf({}, { level })),
    choice: level,
    ...(level === current ? { description: l10n.t('current') } : {}),
  }));
  const risk = saidByServer(question);
  const takeBack: ChoiceItem<RiskLevel | 'takeBack'>[] =
    question.states.length === 0
      ? []
      : [
          { label: '', kind: vscode.QuickPickItemKind.Separator },
          {
            label: l10n.t('Use what the server declares'),
            description: formatRisk(risk),
            detail: l10n.t('Removes your settings for this tool in every workspace.'),
            iconPath: riskIcon(risk),
            choice: 'takeBack',
          },
        ];
  const isSuspended = question.states.length > 0 && counting === undefined;
  const placeHolder = isSuspended
    ? l10n.t('Your setting was dropped because the tool or its server changed')
    : l10n.t('Until the tool or its server changes');
  return ask(question, 1, placeHolder, [...items, ...takeBack], before);
}

function levelDetail(level: RiskLevel): string {
  return {
    readOnly: l10n.t('It changes nothing.'),
    additive: l10n.t('It adds only; it never deletes or overwrites.'),
    destructive: l10n.t('It may delete or overwrite.'),
  }[level];
}

function askForReach(
  question: OverrideQuestion,
  before: Reach | undefined,
): Promise<StepAnswered<ChoiceItem<Reach>>> {
  const items: ChoiceItem<Reach>[] = [
    {
      label: l10n.t('As declared by the server'),
      description: formatWorld(saidByServer(question).hints.openWorld),
      choice: 'asSaid',
    },
    { label: l10n.t('I have checked: reaches no outside systems'), choice: 'none' },
    { label: l10n.t('I have checked: reaches outside systems'), choice: 'any' },
  ];
  return ask(question, 2, l10n.t('Does it reach outside systems?'), items, before);
}

function askForScope(
  question: OverrideQuestion,
  before: OverrideScope | undefined,
): Promise<StepAnswered<ChoiceItem<OverrideScope>>> {
  const items = question.scopes.map((scope) => ({
    label: formatOverrideScope(scope),
    choice: scope,
  }));
  return ask(question, 3, l10n.t('Where should this apply?'), items, before);
}

function formatOverrideScope(scope: OverrideScope): string {
  return scope === 'workspace' ? l10n.t('This workspace') : l10n.t('All my workspaces');
}

function ask<T>(
  { entry, serverLabel, scopes }: OverrideQuestion,
  step: number,
  placeholder: string,
  items: readonly ChoiceItem<T>[],
  before: T | undefined,
): Promise<StepAnswered<ChoiceItem<T>>> {
  const title = l10n.t(
    'Set Risk of “{0}” on “{1}” ({2}/{3})',
    quoted(toolTitle(entry.tool)),
    quoted(serverLabel),
    step,
    scopes.length > 1 ? 3 : 2,
  );
  const active = before === undefined ? undefined : items.find(({ choice }) => choice === before);
  return askItem(items, { title, placeholder, active, hasBack: step > 1 });
}
