import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  expandUriTemplate,
  maxValueChars,
  type TemplateValues,
  type TemplateVariable,
} from '../../core/resources/uriTemplate';
import type { Completion } from '../../core/types';
import { visibleText, withoutIcons } from '../../core/visibleText';
import { untilRowsShow } from '../editor/untilRowsShow';

export interface TemplateQuestion {
  /** Title for the user. */
  readonly title: string;
  readonly uriTemplate: string;
  readonly variables: readonly TemplateVariable[];
  /** Returns the server's completions for a variable. May reject, or be empty. */
  readonly complete: (
    variable: string,
    value: string,
    known: TemplateValues,
    token: vscode.CancellationToken,
  ) => Promise<Completion>;
}

interface ValueItem extends vscode.QuickPickItem {
  readonly value?: string;
}

type Answer =
  { readonly kind: 'next'; readonly value: string } | { readonly kind: 'back' | 'cancel' };

/** Limits the completion requests while the user types. */
const quietMs = 150;
const maxChars = 300;

/**
 * Asks for the variables one after the other. Resolves with `undefined` if the user closes a
 * question, and with `back` if the user goes back beyond the first one, which needs `hasBefore`.
 */
export async function askForVariables(
  question: TemplateQuestion,
  hasBefore = false,
): Promise<TemplateValues | 'back' | undefined> {
  // It has no prototype, because variables may have any name.
  const values: Record<string, string> = Object.create(null);
  let index = 0;
  for (;;) {
    const variable = question.variables[index];
    if (variable === undefined) return values;
    const answer = await askForValue(question, index, values, hasBefore || index > 0);
    if (answer.kind === 'cancel') return undefined;
    if (answer.kind === 'back' && index === 0) return 'back';
    if (answer.kind === 'back') index -= 1;
    if (answer.kind === 'next') {
      values[variable.name] = answer.value;
      index += 1;
    }
  }
}

/** Asks for one value. The typed text is the first row, and the server's completions follow. */
async function askForValue(
  question: TemplateQuestion,
  index: number,
  values: TemplateValues,
  hasBack: boolean,
): Promise<Answer> {
  const variable = question.variables[index];
  if (variable === undefined) return { kind: 'cancel' };
  const pick = vscode.window.createQuickPick<ValueItem>();
  pick.title = question.title;
  pick.step = index + 1;
  pick.totalSteps = question.variables.length;
  pick.ignoreFocusOut = true;
  pick.placeholder = placeholder(variable);
  pick.value = values[variable.name] ?? '';
  pick.buttons = hasBack ? [vscode.QuickInputButtons.Back] : [];
  const proposals = new Proposals(pick, question, variable, knownBefore(question, index, values));
  try {
    return await new Promise<Answer>((resolve) => {
      pick.onDidTriggerButton(() => resolve({ kind: 'back' }));
      pick.onDidHide(() => resolve({ kind: 'cancel' }));
      pick.onDidAccept(async () => {
        await untilRowsShow();
        const value = pick.activeItems[0]?.value ?? pick.value;
        if (isAcceptable(variable, value)) resolve({ kind: 'next', value });
      });
      proposals.start();
      pick.show();
    });
  } finally {
    proposals.dispose();
    pick.dispose();
  }
}

function isAcceptable({ isOptional }: TemplateVariable, value: string): boolean {
  return (isOptional || value !== '') && value.length <= maxValueChars;
}

function knownBefore(
  { variables }: TemplateQuestion,
  index: number,
  values: TemplateValues,
): TemplateValues {
  const earlier = variables.slice(0, index).map(({ name }) => [name, values[name] ?? ''] as const);
  return Object.fromEntries(earlier.filter(([, value]) => value !== ''));
}

function placeholder({ name, isList, isOptional, maxChars: most }: TemplateVariable): string {
  const words = [
    isOptional
      ? l10n.t('{0} (optional; press Enter to leave it out)', plain(name))
      : l10n.t('{0} (required)', plain(name)),
    ...(isList ? [l10n.t('several values, separated by commas')] : []),
    ...(most === undefined ? [] : [l10n.t('only the first {0} characters are used', most)]),
  ];
  return words.join(', ');
}

/** The rows of one question. Only the answer to the newest request is used. */
class Proposals {
  readonly #pick: vscode.QuickPick<ValueItem>;
  readonly #question: TemplateQuestion;
  readonly #variable: TemplateVariable;
  readonly #known: TemplateValues;
  #proposed: Completion = { values: [], hasMore: false };
  #timer: NodeJS.Timeout | undefined;
  #asking: vscode.CancellationTokenSource | undefined;

  constructor(
    pick: vscode.QuickPick<ValueItem>,
    question: TemplateQuestion,
    variable: TemplateVariable,
    known: TemplateValues,
  ) {
    this.#pick = pick;
    this.#question = question;
    this.#variable = variable;
    this.#known = known;
  }

  start(): void {
    this.#pick.onDidChangeValue(() => {
      this.#show();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#ask(), quietMs);
    });
    this.#show();
    void this.#ask();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#asking?.cancel();
  }

  async #ask(): Promise<void> {
    this.#asking?.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.#asking = asking;
    this.#pick.busy = true;
    const { name } = this.#variable;
    let proposed: Completion = { values: [], hasMore: false };
    try {
      proposed = await this.#question.complete(name, this.#pick.value, this.#known, asking.token);
    } catch {
      // Without completions the value can still be typed.
    }
    if (this.#asking !== asking || asking.token.isCancellationRequested) return;
    this.#pick.busy = false;
    this.#proposed = proposed;
    this.#show();
  }

  #show(): void {
    const { value: typed } = this.#pick;
    const { values, hasMore } = this.#proposed;
    const own: ValueItem = {
      label: typed === '' ? l10n.t('(leave out)') : plain(typed),
      description: plain(this.#addressWith(typed)),
      value: typed,
      alwaysShow: true,
    };
    const isOwnShown = isAcceptable(this.#variable, typed) && !values.includes(typed);
    const items = values.map((value): ValueItem => {
      return { label: plain(value), description: plain(this.#addressWith(value)), value };
    });
    const more = { label: l10n.t('More values: type to find them') };
    this.#pick.items = [
      ...(isOwnShown ? [own] : []),
      ...items.map((item) => ({ ...item, alwaysShow: true })),
      ...(hasMore ? [{ ...more, kind: vscode.QuickPickItemKind.Separator }] : []),
    ];
  }

  #addressWith(value: string): string {
    const values = { ...this.#known, [this.#variable.name]: value };
    return expandUriTemplate(this.#question.uriTemplate, values);
  }
}

function plain(text: string): string {
  return withoutIcons(visibleText(text, maxChars));
}
