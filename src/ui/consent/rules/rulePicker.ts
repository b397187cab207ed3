import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import type { JsonObject } from '../../../core/json/jsonValue';
import { visibleText, escapeIcons, hasInvisibleCharacters } from '../../../core/visibleText';
import type { CallQuestion } from '../../../host/calls/call';
import { isFromUser } from '../../../host/consent/facts/callFacts';
import { proposeRules, type RuleProposal } from '../../../host/consent/rules/proposeRules';
import type { RuleBook } from '../../../host/consent/rules/ruleBook';
import { storedArguments } from '../../../host/history/storedArguments';
import { commands } from '../../../ids';
import { notify } from '../../editor/messages';
import { chosenItem, createPicker, type ChoiceItem } from '../../editor/picker';
import { quoted } from '../../format/sentences';
import { type RuleFailure, saveUserRule } from './userRules';

/** A longer rule is not readable in a list. A permission can still be given. */
const maxRuleChars = 400;

export interface RuleChoice<Choice> {
  readonly label: string;
  readonly description?: string;
  /** The rule as it will be written. Absent if none will be. */
  readonly rule?: JsonObject | undefined;
  /** Text below the label if there is no rule. */
  readonly detail?: string;
  readonly choice: Choice;
}

interface RuleChoices<Choice> {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly RuleChoice<Choice>[];
}

/** Shows each rule as it will be written, and the rule of the focused row in full. */
export async function pickRule<Choice>({
  title,
  placeholder,
  choices,
}: RuleChoices<Choice>): Promise<Choice | undefined> {
  const items = choices.map((choice) => ({
    label: escapeIcons(choice.label),
    ...(choice.description === undefined ? {} : { description: escapeIcons(choice.description) }),
    detail: escapeIcons(choice.rule === undefined ? (choice.detail ?? '') : ruleText(choice.rule)),
    choice,
  }));
  // A dialog that was open before takes the focus away as it closes.
  const look = { title, placeholder, ignoreFocusOut: true, items };
  const pick = createPicker<ChoiceItem<RuleChoice<Choice>>>(look);
  const showRule = (): void => {
    const [active] = pick.activeItems;
    const rule = active?.choice?.rule;
    pick.prompt = rule === undefined ? undefined : ruleText(rule);
  };
  pick.onDidChangeActive(showRule);
  return (await chosenItem(pick))?.choice;
}

/** Returns a rule as it will be written, in one line. */
export function ruleText(rule: JsonObject): string {
  return visibleText(JSON.stringify(rule), maxRuleChars);
}

/** `problem` says why the rule has no effect. Absent if it has. */
export function notifySavedRule(problem: RuleFailure | undefined): void {
  const open = { title: l10n.t('Open Rules'), command: commands.openRules };
  switch (problem) {
    case undefined:
      return notify('information', l10n.t('The rule was saved in your user settings.'), open);
    case 'notRead':
      return notify(
        'warning',
        l10n.t(
          'The rule was saved, but VS Code has not read its settings again. Reload the window to apply it.',
        ),
        { title: l10n.t('Reload Window'), command: 'workbench.action.reloadWindow' },
      );
    case 'unsavedChanges':
      return notify(
        'warning',
        l10n.t('Save your user settings first. They have unsaved changes.'),
        open,
      );
    case 'unreadable':
      return notify(
        'warning',
        l10n.t('The rule was not saved because the rules in your user settings cannot be read.'),
        open,
      );
    case 'failed':
      return notify('error', l10n.t('The rule could not be saved in your user settings.'), open);
  }
}

interface RulesFromCallsOptions {
  readonly book: Pick<RuleBook, 'wouldAllow'>;
  readonly redact: (text: string) => string;
  readonly save?: (rule: JsonObject) => Promise<RuleFailure | undefined>;
}

/** Creates rules of the user settings from a question about a call. */
export class RulesFromCalls {
  readonly #options: RulesFromCallsOptions;

  constructor(options: RulesFromCallsOptions) {
    this.#options = options;
  }

  /**
   * Returns rules that would allow this call, the narrowest first. They allow no more than a
   * permission could. Returns none if the answer cannot be remembered, or if an agent or extension
   * made the call, because rules apply to all callers.
   */
  async proposals(question: CallQuestion): Promise<readonly RuleProposal[]> {
    const { config, entry, arguments: given = {}, offered, origin } = question;
    if (offered.length === 0 || !isFromUser(origin)) return [];
    const { book, redact } = this.#options;
    const kept = storedArguments(given, entry.tool.inputSchema, [], redact);
    const proposed = proposeRules({
      server: config.id,
      tool: entry.tool.name,
      level: entry.risk.level,
      arguments: kept.value ?? {},
      hasSecrets: kept.hasSecrets,
      isBroad: offered.some(({ scope }) => scope === 'tool'),
    });
    const fitting: RuleProposal[] = [];
    for (const each of proposed) {
      const text = JSON.stringify(each.rule);
      const isReadable = text.length <= maxRuleChars && !hasInvisibleCharacters(text);
      // Only the first proposed rule about paths is offered, because it is the best one.
      const isLess = each.kind === 'places' && fitting.some(({ kind }) => kind === 'places');
      if (!isReadable || isLess || redact(text) !== text) continue;
      const facts = { config, entry, arguments: given, origin };
      if (await book.wouldAllow(each.rule, facts)) fitting.push(each);
    }
    return fitting;
  }

  /** Saves it in the user settings and tells the user. Resolves with true if it allows the call. */
  async save({ rule }: RuleProposal): Promise<boolean> {
    const { save = saveUserRule } = this.#options;
    const problem = await save(rule);
    notifySavedRule(problem);
    // A saved rule counts for this call even if VS Code has not read it yet.
    return problem === undefined || problem === 'notRead';
  }
}

export function proposalLabel({ kind, hosts, folders, isInWorkspace }: RuleProposal): string {
  switch (kind) {
    case 'arguments':
      return l10n.t('Exactly these arguments, as a rule');
    case 'places': {
      const paths =
        isInWorkspace === true
          ? [l10n.t('paths in this workspace')]
          : (folders ?? []).map((folder) => l10n.t('paths below {0}', quoted(folder)));
      const places = [...paths, ...(hosts ?? []).map(quoted)];
      return l10n.t('This tool only with {0}, as a rule', places.join(', '));
    }
    case 'tool':
      return l10n.t('This tool, as a rule');
    default:
      return assertNever(kind);
  }
}
