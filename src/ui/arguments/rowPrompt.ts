import * as vscode from 'vscode';
import { chosenItem, createPicker, type ChoiceItem } from '../editor/picker';

/** A row to choose, with texts that are safe in a quick pick. */
export interface PromptRow<Answer> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** Is drawn before the label. Unlike an icon in the label, screen readers do not read it. */
  readonly icon?: string;
  /** A button beside the row, with an answer of its own. */
  readonly button?: PromptButton<Answer>;
  readonly answer: Answer;
}

/** A button with an icon. The tooltip is also its accessible name. */
interface PromptButton<Answer> {
  readonly icon: string;
  readonly tooltip: string;
  readonly answer: Answer;
}

export interface PromptGroup<Answer> {
  readonly heading: string;
  readonly rows: readonly PromptRow<Answer>[];
  /**
   * True if typing filters these rows. If any group sets it, the other groups are hidden while
   * typing.
   */
  readonly isFound?: boolean;
}

/** A list to choose from, with a heading for each group. */
export interface Prompt<Answer> {
  readonly title: string;
  /** Is shown in full above the rows. */
  readonly message: string;
  readonly placeholder: string;
  readonly groups: readonly PromptGroup<Answer>[];
  readonly hasBack: boolean;
  /** Buttons in the title bar, after Back. */
  readonly buttons?: readonly PromptButton<Answer>[];
  /** Answer of the row that has the focus at first. Defaults to the first row. */
  readonly active?: Answer;
}

/** Closing the list is `cancel`. */
export type Chosen<Answer> =
  | { readonly kind: 'chosen'; readonly answer: Answer }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancel' };

/** Shows the list until it is answered or `token` is cancelled, which closes it. */
export async function chooseInQuickPick<Answer>(
  prompt: Prompt<Answer>,
  token?: vscode.CancellationToken,
): Promise<Chosen<Answer>> {
  const buttons = new Map(prompt.buttons?.map((one) => [toButton(one), chosenOf(one)]));
  const items = toItems(prompt.groups);
  const active = items.filter(
    ({ choice }) => choice?.kind === 'chosen' && choice.answer === prompt.active,
  );
  const pick = createPicker<ChoiceItem<Chosen<Answer>>>({
    title: prompt.title,
    prompt: prompt.message,
    placeholder: prompt.placeholder,
    items,
    ...(active.length === 0 ? {} : { activeItems: active.slice(0, 1) }),
    ignoreFocusOut: true,
    buttons: [...(prompt.hasBack ? [vscode.QuickInputButtons.Back] : []), ...buttons.keys()],
  });
  pick.onDidChangeValue((text) => (pick.items = toItems(groupsFor(prompt.groups, text))));
  const button = (one: vscode.QuickInputButton): Chosen<Answer> =>
    buttons.get(one) ?? { kind: 'back' };
  return (await chosenItem(pick, { button, token })) ?? { kind: 'cancel' };
}

/** A user who types is searching, so Enter must not choose a row of another kind. */
function groupsFor<Answer>(
  groups: readonly PromptGroup<Answer>[],
  text: string,
): readonly PromptGroup<Answer>[] {
  const found = groups.filter(({ isFound }) => isFound === true);
  return text === '' || found.length === 0 ? groups : found;
}

function toItems<Answer>(groups: readonly PromptGroup<Answer>[]): ChoiceItem<Chosen<Answer>>[] {
  return groups.flatMap(({ heading, rows, isFound }): ChoiceItem<Chosen<Answer>>[] => [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...rows.map(({ answer, icon, button, ...pick }) => ({
      ...pick,
      ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
      ...(button === undefined ? {} : { buttons: [toButton(button)], other: chosenOf(button) }),
      alwaysShow: isFound !== true,
      choice: { kind: 'chosen', answer } as const,
    })),
  ]);
}

function toButton({ icon, tooltip }: PromptButton<unknown>): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}

function chosenOf<Answer>({ answer }: PromptButton<Answer>): Chosen<Answer> {
  return { kind: 'chosen', answer };
}
