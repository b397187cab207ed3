import type { CancellationToken } from 'vscode';
import type { FieldAnswers, FieldQuestions } from '../arguments/fieldQuestions';
import type { Chosen, Prompt } from '../arguments/rowPrompt';

/** UI for the questions of a form. */
export interface FormPrompts {
  choose<Answer>(prompt: Prompt<Answer>, token: CancellationToken): Promise<Chosen<Answer>>;
  enter(questions: FieldQuestions): Promise<FieldAnswers>;
}
