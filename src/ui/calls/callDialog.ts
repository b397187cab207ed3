import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { notify } from '../editor/messages';
import { dialogText } from '../format/dialogLines';
import {
  ModalConfirm,
  type ModalConfirmOptions,
  type ModalOfWindow,
  type PressedButton,
  type QuestionDialog,
  type AllowedCalls,
} from './confirm';
import { escapeIcons } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import type { GrantChoice } from '../../host/consent/grants/grant';
import type { RuleProposal } from '../../host/consent/rules/proposeRules';
import { durationMeaning, formatGrantChoice, scopeLimit } from '../format/formatPermission';
import { quoted } from '../format/sentences';
import { toolTitle } from '../format/toolTitle';
import { chosenItem, createPicker, type ChoiceItem } from '../editor/picker';
import { ruleText, proposalLabel, type RulesFromCalls } from '../consent/rules/rulePicker';

type OfWindow = 'askWhatToAllow' | 'notify' | keyof ModalOfWindow;

/** Asks about calls in modal dialogs of this window. */
export function confirmInWindow({
  rules,
  ...options
}: Omit<ModalConfirmOptions, OfWindow> & { readonly rules: CallRules }): ModalConfirm {
  return new ModalConfirm({
    ...options,
    askWhatToAllow: (question) => pickAllowed(question, rules),
    ...modalOfWindow,
    notify: (sentence) => notify('information', sentence),
  });
}

/** Shows questions about calls in modal dialogs of this window. */
export const modalOfWindow: ModalOfWindow = {
  showModal: showModalDialog,
  now: () => performance.now(),
};

async function showModalDialog({
  message,
  detail,
  isWarning,
  buttons,
}: QuestionDialog): Promise<PressedButton | undefined> {
  const items = buttons.map((press) => ({ title: formatPress(press), press }));
  const options = { modal: true, detail: dialogText(detail) };
  const picked = isWarning
    ? await vscode.window.showWarningMessage(message, options, ...items)
    : await vscode.window.showInformationMessage(message, options, ...items);
  return picked?.press;
}

function formatPress(press: PressedButton): string {
  return {
    run: l10n.t('Run'),
    allow: l10n.t('Allow…'),
    review: l10n.t('Review'),
    edit: l10n.t('Edit Arguments'),
    together: l10n.t('Answer All…'),
  }[press];
}

type Choice = GrantChoice | RuleProposal;

type CallRules = Pick<RulesFromCalls, 'proposals' | 'save'>;

/**
 * Shows one list of the calls that may run without a question from now on, and for how long.
 * Returns `undefined` if the user goes back to the question, or if the rule could not be saved.
 */
export async function pickAllowed(
  question: CallQuestion,
  rules: CallRules,
): Promise<AllowedCalls | undefined> {
  const proposals = await rules.proposals(question);
  const pick = createPicker<ChoiceItem<Choice>>({
    title: l10n.t('Allow: {0}', toolTitle(question.entry.tool)),
    placeholder: l10n.t('Run now, and without asking from now on:'),
    // The preceding dialog changes the focus when it closes.
    ignoreFocusOut: true,
    matchOnDescription: true,
    buttons: [vscode.QuickInputButtons.Back],
    items: [
      ...orderGrants(question).map((grant) => grantItem(grant, question)),
      ...proposals.map(proposalItem),
    ],
  });
  pick.onDidTriggerButton(() => pick.hide());
  pick.onDidChangeActive(([active]) => {
    const choice = active?.choice;
    pick.prompt = choice !== undefined && 'rule' in choice ? ruleText(choice.rule) : undefined;
  });
  const chosen = await chosenItem(pick);
  if (chosen === undefined) return undefined;
  if ('scope' in chosen) return { kind: 'grant', grant: chosen };
  return (await rules.save(chosen)) ? { kind: 'ruleSaved' } : undefined;
}

/**
 * Puts the likely choice first: for a read-only tool, all its calls in this session; otherwise the
 * smallest. The others follow, smallest first.
 */
function orderGrants({ offered, entry }: CallQuestion): readonly GrantChoice[] {
  const isLikely = ({ scope, duration }: GrantChoice): boolean =>
    entry.risk.level === 'readOnly' && scope === 'tool' && duration === 'session';
  return [...offered.filter(isLikely), ...offered.filter((grant) => !isLikely(grant))];
}

function grantItem(grant: GrantChoice, { config }: CallQuestion): ChoiceItem<Choice> {
  const limit = scopeLimit(grant.scope, quoted(config.label));
  return {
    label: formatGrantChoice(grant),
    description: durationMeaning(grant.duration),
    ...(limit === undefined ? {} : { detail: escapeIcons(limit) }),
    choice: grant,
  };
}

function proposalItem(proposal: RuleProposal): ChoiceItem<Choice> {
  return {
    label: escapeIcons(proposalLabel(proposal)),
    description: l10n.t('Saved in your user settings'),
    detail: escapeIcons(ruleText(proposal.rule)),
    choice: proposal,
  };
}
