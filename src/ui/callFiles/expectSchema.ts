import * as l10n from '@vscode/l10n';
import {
  annotationTypes,
  maxUnderMs,
  type expectKeys,
} from '../../core/callFiles/parseExpectation';
import type { JsonObject } from '../../core/json/jsonValue';

/** What VS Code proposes and explains within `expect`; it finds nothing wrong with anything. */
export function expectSchema(): JsonObject {
  const properties: Readonly<Record<(typeof expectKeys)[number], JsonObject>> = {
    isError: {
      description: l10n.t('Whether the tool is to report an error. Absent means no.'),
      anyOf: [{ enum: [true, false] }, {}],
    },
    schemaViolations: {
      description: l10n.t(
        'Whether the answer is to break the output schema of its tool. Absent means no.',
      ),
      anyOf: [{ enum: [true, false] }, {}],
    },
    error: {
      description: l10n.t('An error of the protocol that has to come in place of an answer.'),
      properties: {
        code: { description: l10n.t('The code of the error, such as -32602.') },
        message: { description: l10n.t('The whole message of the error.') },
        matches: { description: l10n.t('A regular expression for the message of the error.') },
      },
    },
    values: {
      description: l10n.t(
        'Values that have to be in the result: a JSON pointer into content, structuredContent and isError, and the value, such as "/content/0/type": "text".',
      ),
      ...atPlaces('""'),
    },
    contains: {
      description: l10n.t(
        'JSON pointer and part of the text, list or object there: "/content/0/text": "done".',
      ),
      ...atPlaces('""'),
    },
    matches: {
      description: l10n.t(
        'JSON pointer and regular expression for the text there: "/content/0/text": "^[0-9]+".',
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
              least: { description: l10n.t('At least so many.') },
              most: { description: l10n.t('At most so many.') },
            },
          },
          {},
        ],
      },
      ...atPlaces('1'),
    },
    under: {
      description: l10n.t(
        'The call has to take less than this, in milliseconds (1 to {0}).',
        maxUnderMs,
      ),
    },
    schema: {
      description: l10n.t(
        'A JSON schema that structuredContent has to fit, or the path of a file with one.',
      ),
    },
    annotations: {
      description: l10n.t('What the server has to declare about the tool, such as readOnlyHint.'),
      properties: Object.fromEntries(
        Object.entries(annotationTypes).map(([name, type]) => [
          name,
          type === 'boolean' ? { anyOf: [{ enum: [true, false] }, {}] } : {},
        ]),
      ),
    },
    answer: {
      description: l10n.t(
        'The whole answer, or the path of a file with it. Where it has "…", anything may come.',
      ),
    },
    ignore: {
      description: l10n.t(
        'Of the answer: names of members, and JSON pointers, of which the values do not count.',
      ),
    },
  };
  return {
    description: l10n.t(
      'What a run has to bring to pass. Without it: no error, and an answer that fits the output schema.',
    ),
    properties,
  };
}

/** Pointers that most expectations begin with; each is proposed with what stands for a value. */
function atPlaces(value: string): JsonObject {
  const pointers = ['/structuredContent', '/content/0/text', '/content'];
  return {
    defaultSnippets: pointers.map((pointer) => ({
      label: pointer,
      bodyText: `{ "${pointer}": ${value} }`,
    })),
  };
}
