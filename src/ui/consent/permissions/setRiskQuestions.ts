import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../../core/errors';
import {
  type Risk,
  type RiskLevel,
  riskLevels,
  riskOf,
  riskOfTool,
  type RiskOverride,
} from '../../../core/risk';
import type { ToolEntry } from '../../../host/connections/snapshot';
import type { OverrideState, OverrideScope } from '../../../host/consent/grants/overrides';
import { formatLevel, formatRisk, formatWorld } from '../../format/formatRisk';
import { riskIcon } from '../../format/riskIcon';
import { quoted } from '../../format/sentences';
import { toolTitle } from '../../format/toolTitle';
import { type StepAnswered, askItem, askSteps, type AskStep } from '../../editor/stepInputs';

export interface OverrideQuestion {
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
  switch (level) {
    case 'readOnly':
      return l10n.t('It changes nothing.');
    case 'additive':
      return l10n.t('It adds only; it never deletes or overwrites.');
    case 'destructive':
      return l10n.t('It may delete or overwrite.');
    default:
      return assertNever(level);
  }
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
  switch (scope) {
    case 'workspace':
      return l10n.t('This workspace');
    case 'always':
      return l10n.t('All my workspaces');
    default:
      return assertNever(scope);
  }
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
