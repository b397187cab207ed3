import * as l10n from '@vscode/l10n';
import { answerActions, type answerKeys } from '../../core/callFiles/callFile';
import {
  annotationTypes,
  maxUnderMs,
  type expectKeys,
} from '../../core/callFiles/parseExpectation';
import type { JsonObject } from '../../core/json/jsonValue';

/** Schema with which VS Code completes and explains `expect`; it reports no problems. */
export function expectSchema(): JsonObject {
  const properties: Readonly<Record<(typeof expectKeys)[number], JsonObject>> = {
    isError: {
      description: l10n.t('Expects that the tool reports an error. Default: false.'),
      anyOf: [{ enum: [true, false] }, {}],
    },
    schemaViolations: {
      description: l10n.t(
        'Expects a result that breaks the output schema of the tool. Default: false.',
      ),
      anyOf: [{ enum: [true, false] }, {}],
    },
    error: {
      description: l10n.t('Protocol error that is expected instead of a result.'),
      properties: {
        code: { description: l10n.t('Error code, such as -32602.') },
        message: { description: l10n.t('The complete error message.') },
        matches: { description: l10n.t('A regular expression for the error message.') },
      },
    },
    values: {
      description: l10n.t(
        'JSON pointers into content, structuredContent and isError, with the values expected there, such as "/content/0/type": "text".',
      ),
      ...atPlaces('""'),
    },
    contains: {
      description: l10n.t(
        'JSON pointer and part of the string, array or object there: "/content/0/text": "done".',
      ),
      ...atPlaces('""'),
    },
    matches: {
      description: l10n.t(
        'JSON pointer and regular expression for the string there: "/content/0/text": "^[0-9]+".',
      ),
      ...atPlaces('"$1"'),
    },
    count: {
      description: l10n.t(
        'JSON pointer and number of items there, or { "least": 1, "most": 3 }: "/content": 1.',
      ),
      additionalProperties: {
        anyOf: [
          {
            properties: {
              least: { description: l10n.t('Minimum number of items.') },
              most: { description: l10n.t('Maximum number of items.') },
            },
          },
          {},
        ],
      },
      ...atPlaces('1'),
    },
    under: {
      description: l10n.t('Maximum duration of the call, in milliseconds (1 to {0}).', maxUnderMs),
    },
    schema: {
      description: l10n.t(
        'A JSON schema for structuredContent, or the path of a file that contains one.',
      ),
    },
    annotations: {
      description: l10n.t(
        'Annotations that the server must declare for the tool, such as readOnlyHint.',
      ),
      properties: Object.fromEntries(
        Object.entries(annotationTypes).map(([name, type]) => [
          name,
          type === 'boolean' ? { anyOf: [{ enum: [true, false] }, {}] } : {},
        ]),
      ),
    },
    answer: {
      description: l10n.t(
        'The complete result, or the path of a file that contains it. "…" matches any value.',
      ),
    },
    ignore: {
      description: l10n.t('Fields to ignore: names or JSON pointers.'),
    },
  };
  return {
    description: l10n.t(
      'Expectations of the call. Default: no error, and a result that matches the output schema.',
    ),
    properties,
  };
}

/** Proposes common pointers of expectations, each with a placeholder for the value. */
function atPlaces(value: string): JsonObject {
  const pointers = ['/structuredContent', '/content/0/text', '/content'];
  return {
    defaultSnippets: pointers.map((pointer) => ({
      label: pointer,
      bodyText: `{ "${pointer}": ${value} }`,
    })),
  };
}

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
