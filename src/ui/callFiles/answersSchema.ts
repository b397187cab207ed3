import * as l10n from '@vscode/l10n';
import { answerActions, type answerKeys } from '../../core/callFiles/callFileParts';
import type { JsonObject } from '../../core/json/jsonValue';

/** Schema with which VS Code completes and explains `answers`; it reports no problems. */
export function answersSchema(): JsonObject {
  const properties: Readonly<Record<(typeof answerKeys)[number], JsonObject>> = {
    question: {
      description: l10n.t(
        'Regular expression for the question. Without it, the answer is used for the next question.',
      ),
    },
    action: {
      description: l10n.t('Action that the server is told. Default: "accept".'),
      anyOf: [{ enum: answerActions }, {}],
    },
    content: { description: l10n.t('Values for the form of the question.') },
  };
  return {
    description: l10n.t(
      'Answers to questions that the server asks during the call. A question without an answer makes the call fail.',
    ),
    items: {
      defaultSnippets: [{ label: '{ "content" }', bodyText: '{ "content": { $1 } }' }],
      properties,
    },
  };
}
