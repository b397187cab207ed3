import * as vscode from 'vscode';
import type { FieldAnswers, FieldQuestions } from '../arguments/fieldQuestions';

/** A row that a person may choose, in words that are safe in a quick pick. */
export interface PromptRow<Answer> {
  readonly label: string;
  /** Of the product, by its name. */
  readonly icon?: string;
  readonly description?: string;
  readonly detail?: string;
  readonly answer: Answer;
}

/** One list to choose from, its groups under headings. */
export interface Prompt<Answer> {
  readonly title: string;
  /** Above the rows, in full. */
  readonly message: string;
  readonly placeholder: string;
  readonly groups: readonly {
    readonly heading: string;
    readonly rows: readonly PromptRow<Answer>[];
  }[];
  readonly hasBack: boolean;
}

/** Closing the list is `cancel`. */
export type Chosen<Answer> =
  | { readonly kind: 'chosen'; readonly answer: Answer }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancel' };

/** How the questions of a form reach the person. */
export interface FormPrompts {
  choose<Answer>(prompt: Prompt<Answer>, token: vscode.CancellationToken): Promise<Chosen<Answer>>;
  enter(questions: FieldQuestions): Promise<FieldAnswers>;
}

interface AnswerItem<Answer> extends vscode.QuickPickItem {
  readonly chosen?: Chosen<Answer>;
}

/** Shows the list until it is answered or `token` is cancelled, which closes it. */
export async function chooseInQuickPick<Answer>(
  prompt: Prompt<Answer>,
  token: vscode.CancellationToken,
): Promise<Chosen<Answer>> {
  if (token.isCancellationRequested) return { kind: 'cancel' };
  const pick = vscode.window.createQuickPick<AnswerItem<Answer>>();
  pick.title = prompt.title;
  pick.prompt = prompt.message;
  pick.placeholder = prompt.placeholder;
  pick.items = prompt.groups.flatMap(toItems);
  pick.ignoreFocusOut = true;
  pick.buttons = prompt.hasBack ? [vscode.QuickInputButtons.Back] : [];
  const cancelling = token.onCancellationRequested(() => pick.hide());
  try {
    return await new Promise<Chosen<Answer>>((resolve) => {
      pick.onDidAccept(() => {
        const chosen = pick.selectedItems[0]?.chosen;
        if (chosen !== undefined) resolve(chosen);
      });
      pick.onDidTriggerButton(() => resolve({ kind: 'back' }));
      pick.onDidHide(() => resolve({ kind: 'cancel' }));
      pick.show();
    });
  } finally {
    cancelling.dispose();
    pick.dispose();
  }
}

function toItems<Answer>({
  heading,
  rows,
}: Prompt<Answer>['groups'][number]): AnswerItem<Answer>[] {
  return [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...rows.map(({ answer, icon, ...words }) => ({
      ...words,
      ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
      alwaysShow: true,
      chosen: { kind: 'chosen', answer } as const,
    })),
  ];
}
