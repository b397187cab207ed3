import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { DecidedCallFacts } from '../../../host/consent/facts/callFacts';
import type { RuleBook } from '../../../host/consent/rules/ruleBook';
import { rulesScheme, commands } from '../../../ids';
import { readRuleSources } from '../../settings/settings';
import { notify } from '../../editor/messages';
import { quoted } from '../../format/sentences';
import { readRules, withWritten } from './ruleDocuments';
import { openUserSettings } from './userRules';
import { assertNever } from '../../../core/errors';
import { toRuleMatch } from '../../../host/consent/rules/matchRules';
import type {
  RuleReplay,
  Replayed,
  RuleEffect,
  RuleMatches,
} from '../../../host/consent/rules/replay';
import { formatLevel } from '../../format/formatRisk';
import { formatEffect, formatRule } from '../../format/formatRule';

interface RuleTrialOptions {
  readonly pastCalls: () => Promise<readonly DecidedCallFacts[]>;
  readonly book: Pick<RuleBook, 'tryOn'>;
}

/**
 * Tries the edited rules on past calls: shows what would change, and which calls match each rule.
 */
export class RuleTrial implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: RuleTrialOptions;
  readonly #registration: vscode.Disposable;
  readonly #texts = new Map<string, string>();

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RuleTrialOptions) {
    this.#options = options;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(rulesScheme, this);
  }

  /**
   * Uses the unsaved text of the settings document with this URI or of the active one, otherwise
   * the saved rules.
   */
  async run(uri: unknown): Promise<void> {
    const saved = readRuleSources();
    const document = findDocument(uri);
    const written = document && readRules(document);
    const sources = written === undefined ? saved : withWritten(saved, written);
    const subject =
      document === undefined || written === undefined || !document.isDirty
        ? l10n.t('The saved rules')
        : l10n.t('The rules in “{0}”, not saved yet', quoted(document.uri.path.split('/').at(-1)));
    const calls = await this.#pastCalls();
    if (calls === undefined) return;
    const replayed = await this.#options.book.tryOn(calls, sources);
    const title = l10n.t('Rules on past calls');
    const shown = vscode.Uri.from({ scheme: rulesScheme, path: `/${title}.txt` });
    this.#texts.set(shown.path, ruleTrialText(replayed, calls.length, subject));
    this.#onDidChange.fire(shown);
    await vscode.window.showTextDocument(shown, { preview: true });
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }

  /** Returns `undefined` after a message if they cannot be read. */
  async #pastCalls(): Promise<readonly DecidedCallFacts[] | undefined> {
    try {
      return await this.#options.pastCalls();
    } catch (error) {
      const reason = quoted(error instanceof Error ? error.message : String(error));
      notify('error', l10n.t('The audit journal cannot be read. Details: “{0}”', reason));
      return undefined;
    }
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }
}

function findDocument(uri: unknown): vscode.TextDocument | undefined {
  if (uri === undefined) return vscode.window.activeTextEditor?.document;
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

/**
 * Opens the settings at the rules. If there are none, VS Code inserts an unsaved empty list and
 * completes rules in it. Nothing is added to existing rules.
 */
export async function openRules(): Promise<void> {
  const { user } = readRuleSources();
  await openUserSettings({ edit: user === undefined || isEmptyList(user) });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A lens above the setting tries the rules. */
export function rulesLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const range = readRules(document)?.keyRange;
  if (range === undefined) return [];
  const title = l10n.t('Try on past calls');
  const command = { title, command: commands.tryRules, arguments: [document.uri.toString()] };
  return [new vscode.CodeLens(range, command)];
}

/** Maximum number of calls that are listed, newest first. */
const maxShown = 500;

/** Maximum number of calls that are listed for each rule, newest first. */
const maxShownOfRule = 5;

/**
 * Lists the past calls that the edited rules would decide differently, and the calls that match
 * each rule.
 */
function ruleTrialText({ changes, matches }: RuleReplay, looked: number, subject: string): string {
  const told = changes.filter(({ now }) => now !== 'unclear');
  const untold = changes.filter(({ now }) => now === 'unclear');
  const heading = [
    l10n.t('Rules on past calls'),
    '',
    subject,
    l10n.t('Past calls examined: {0}', looked),
    l10n.t('Calls that the rules treat differently: {0}', told.length),
    l10n.t('Unknown for: {0}', untold.length),
    '',
    l10n.t(
      'Only rules are compared. Permissions and tool changes are not considered again; paths are resolved now.',
    ),
  ];
  return `${[
    ...heading,
    ...section(l10n.t('Changes'), told),
    ...section(l10n.t('Unknown: arguments were not recorded'), untold),
    '',
    l10n.t('Matches of Each Rule'),
    ...(matches.length === 0 ? ['', l10n.t('There are no rules.')] : []),
    ...matches.flatMap((each) => ['', ...ruleLines(each)]),
  ].join('\n')}\n`;
}

function section(title: string, replayed: readonly Replayed[]): string[] {
  if (replayed.length === 0) return [];
  const newest = replayed.slice(0, maxShown);
  const rest = replayed.length - newest.length;
  return [
    '',
    title,
    ...newest.flatMap((each) => ['', ...lines(each)]),
    ...(rest === 0 ? [] : ['', l10n.t('Older calls that are not listed: {0}.', rest)]),
  ];
}

function ruleLines({ rule, calls, unclear }: RuleMatches): string[] {
  return [
    formatRule(toRuleMatch(rule)),
    `    ${l10n.t('Calls: {0}', calls.length)}`,
    ...calls.slice(0, maxShownOfRule).map((call) => `    ${callName(call)}`),
    ...(unclear === 0 ? [] : [`    ${l10n.t('Calls that it may match: {0}', unclear)}`]),
  ];
}

function callName({ at, tool, server, risk }: DecidedCallFacts): string {
  const time = new Date(at).toISOString();
  const level = formatLevel(risk.level);
  return l10n.t('{0}  “{1}” on “{2}” ({3})', time, quoted(tool), quoted(server), level);
}

function lines({ call, before, now, rule }: Replayed): string[] {
  const rules = l10n.t('Rules: {0} → {1}', formatTrialOutcome(before), formatTrialOutcome(now));
  return [
    callName(call),
    `    ${l10n.t('Recorded: {0}', formatEffect(call.decision))}`,
    `    ${rules}`,
    ...(rule === undefined ? [] : [`    ${formatRule(rule)}`]),
  ];
}

function formatTrialOutcome(effect: RuleEffect | 'unclear'): string {
  switch (effect) {
    case 'none':
      return l10n.t('no rule, so you are asked');
    case 'unclear':
      return l10n.t('unknown');
    case 'allow':
    case 'ask':
    case 'deny':
      return formatEffect(effect);
    default:
      return assertNever(effect);
  }
}
