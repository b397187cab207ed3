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
import type { OverrideState } from '../../../host/consent/grants/overrides';
import type { OverrideScope } from '../../../host/consent/grants/overrideRecord';
import { formatLevel, riskIcon, formatRisk, formatWorld } from '../../format/formatRisk';
import { quoted } from '../../format/sentences';
import { toolTitle } from '../../format/toolTitle';

export interface OverrideQuestion {
  readonly entry: ToolEntry;
  readonly serverLabel: string;
  /** What was set for it before; what counts stands first. */
  readonly states: readonly OverrideState[];
  readonly scopes: readonly OverrideScope[];
}

export type OverrideAnswer =
  | { readonly kind: 'set'; readonly override: RiskOverride; readonly scope: OverrideScope }
  | { readonly kind: 'takeBack' };

/** Level, reach, and for which workspaces; `undefined` as soon as one of them is closed. */
export async function askForOverride(
  question: OverrideQuestion,
): Promise<OverrideAnswer | undefined> {
  const level = await askForLevel(question);
  if (level === undefined) return undefined;
  if (level === 'takeBack') return { kind: 'takeBack' };
  const reach = await askForReach(question);
  if (reach === undefined) return undefined;
  const scope = await askForScope(question);
  if (scope === undefined) return undefined;
  const openWorld = { none: { openWorld: false }, any: { openWorld: true }, asSaid: {} }[reach];
  return { kind: 'set', override: { level, ...openWorld }, scope };
}

interface ChoiceItem<T> extends vscode.QuickPickItem {
  readonly choice?: T;
}

/** How the tool would stand without what the person has set. */
const saidByServer = ({ entry: { tool } }: OverrideQuestion): Risk => riskOfTool(tool);

async function askForLevel(
  question: OverrideQuestion,
): Promise<RiskLevel | 'takeBack' | undefined> {
  const [counting] = question.states.filter(({ suspended }) => suspended === undefined);
  const current = counting?.record.override.level;
  const items = riskLevels.map((level): ChoiceItem<RiskLevel | 'takeBack'> => ({
    label: vscode.l10n.t('I have checked: {0}', formatLevel(level)),
    detail: levelDetail(level),
    iconPath: riskIcon(riskOf({}, { level })),
    choice: level,
    ...(level === current ? { description: vscode.l10n.t('set now') } : {}),
  }));
  const risk = saidByServer(question);
  const takeBack: ChoiceItem<RiskLevel | 'takeBack'>[] =
    question.states.length === 0
      ? []
      : [
          { label: '', kind: vscode.QuickPickItemKind.Separator },
          {
            label: vscode.l10n.t('Use what the server says'),
            description: formatRisk(risk),
            detail: vscode.l10n.t('Takes back what you have set, in every workspace.'),
            iconPath: riskIcon(risk),
            choice: 'takeBack',
          },
        ];
  const isSuspended = question.states.length > 0 && counting === undefined;
  const placeHolder = isSuspended
    ? vscode.l10n.t('What you had set does not count any more: the tool or its server changed')
    : vscode.l10n.t('Until the tool or its server changes');
  return ask(question, 1, placeHolder, [...items, ...takeBack]);
}

function levelDetail(level: RiskLevel): string {
  switch (level) {
    case 'readOnly':
      return vscode.l10n.t('It changes nothing.');
    case 'additive':
      return vscode.l10n.t('It adds only; it never deletes or overwrites.');
    case 'destructive':
      return vscode.l10n.t('It may delete or overwrite.');
    default:
      return assertNever(level);
  }
}

function askForReach(question: OverrideQuestion): Promise<'asSaid' | 'none' | 'any' | undefined> {
  return ask(question, 2, vscode.l10n.t('What does it reach?'), [
    {
      label: vscode.l10n.t('As the server says'),
      description: formatWorld(saidByServer(question).hints.openWorld),
      choice: 'asSaid',
    },
    { label: vscode.l10n.t('I have checked: reaches no outside systems'), choice: 'none' },
    { label: vscode.l10n.t('I have checked: reaches outside systems'), choice: 'any' },
  ]);
}

async function askForScope(question: OverrideQuestion): Promise<OverrideScope | undefined> {
  const [only] = question.scopes;
  if (question.scopes.length === 1) return only;
  const items = question.scopes.map((scope) => ({
    label: formatOverrideScope(scope),
    choice: scope,
  }));
  return ask(question, 3, vscode.l10n.t('Where does it count?'), items);
}

function formatOverrideScope(scope: OverrideScope): string {
  switch (scope) {
    case 'workspace':
      return vscode.l10n.t('This workspace');
    case 'always':
      return vscode.l10n.t('All my workspaces');
    default:
      return assertNever(scope);
  }
}

async function ask<T>(
  { entry, serverLabel, scopes }: OverrideQuestion,
  step: number,
  placeHolder: string,
  items: readonly ChoiceItem<T>[],
): Promise<T | undefined> {
  const title = vscode.l10n.t(
    'Set Risk of “{0}” on “{1}” ({2}/{3})',
    quoted(toolTitle(entry.tool)),
    quoted(serverLabel),
    step,
    scopes.length > 1 ? 3 : 2,
  );
  // A look at the tool elsewhere must not close it.
  const options = { title, placeHolder, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick([...items], options))?.choice;
}
