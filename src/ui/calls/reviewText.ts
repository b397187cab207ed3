import * as l10n from '@vscode/l10n';
import { indentedJson } from '../../core/arguments/argumentsText';
import { assertNever } from '../../core/errors';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { toolProblems } from '../../core/toolProblems';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import type { Decision } from '../../host/consent/consent';
import type { PinState } from '../../host/consent/facts/callFacts';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { formatDecision } from '../format/formatDecision';
import { formatGrant, formatSuspension } from '../format/formatPermission';
import { hintLines, riskSentence } from '../format/formatRisk';
import { formatRule } from '../format/formatRule';
import { formatSource, toolProblemSentence } from '../format/sentencesOfProblems';
import { toolNameText } from '../format/toolTitle';
import {
  changeLines,
  originLine,
  questionMessage,
  questionTransportLine,
  schemaProblemLine,
  brokenSchemaLine,
  taskLine,
} from './confirmText';
import {
  defaultLines,
  defaultsHeading,
  unnamedLine,
  answerLines,
  answersHeading,
} from './formatDefaults';

/** VS Code shows editors up to this length without a warning. Users do not read longer texts. */
const maxReviewChars = 2_000_000;
const maxDefaultChars = 10_000;

type Part = readonly [heading: string, text: string];

/**
 * The question practically without length limits, with everything that speaks for or against the
 * call. Every line of foreign text is indented, so that none can look like a line of the extension.
 */
export function reviewText(question: CallQuestion, earlierCalls: readonly string[]): string {
  const { config, entry } = question;
  const { tool, risk } = entry;
  const hints = hintLines(risk).map(({ hint, text }) => `${hint}: ${text}`);
  const problems = toolProblems(tool)
    // This problem is shown among the hints, beside the value that is used instead.
    .filter(({ code }) => code !== 'annotationIgnored')
    .map(toolProblemSentence);
  const parts: readonly Part[] = [
    [l10n.t('Arguments that will be sent'), argumentsText(question)],
    ...answerParts(question),
    ...leftOutParts(question),
    ...whyParts(question),
    [l10n.t('Tool'), toolNameText(tool)],
    [l10n.t('Server'), `${config.label}\n${formatSource(config.source)}`],
    [l10n.t('How the server is reached'), questionTransportLine(config, maxReviewChars)],
    [l10n.t('Description by the server'), tool.description ?? l10n.t('Nothing.')],
    ...(problems.length === 0
      ? []
      : [[l10n.t('Problems of the definition'), problems.join('\n')] as const]),
    [l10n.t('Hints about the risk'), hints.join('\n')],
    [l10n.t('Earlier calls of this tool'), earlierCalls.join('\n') || l10n.t('None.')],
    [l10n.t('Input schema'), schemaText(tool.inputSchema)],
  ];
  return [
    questionMessage(question),
    '',
    ...originLine(question.origin),
    riskSentence(risk),
    ...schemaProblemLine(question),
    ...brokenSchemaLine(question),
    ...taskLine(question),
    ...unnamedLine(question),
    ...parts.flatMap(([heading, text]) => ['', heading, indented(text)]),
    '',
  ].join('\n');
}

function answerParts(question: CallQuestion): readonly Part[] {
  const lines = answerLines(question, { lines: Infinity, chars: maxReviewChars });
  return lines.length === 0 ? [] : [[answersHeading(), lines.join('\n')]];
}

function leftOutParts(question: CallQuestion): readonly Part[] {
  const lines = defaultLines(question, { lines: Infinity, chars: maxDefaultChars });
  return lines.length === 0 ? [] : [[defaultsHeading(), lines.join('\n')]];
}

/** The reason for the question, and the other facts that were checked. */
function whyParts({ decision, entry }: CallQuestion): readonly Part[] {
  const { rules, suspended } = decision;
  return [
    [l10n.t('Why you are asked'), formatDecision(decisionFacts(decision))],
    [l10n.t('Matching rules'), rules.map(formatRule).join('\n') || l10n.t('None.')],
    ...(suspended.length === 0
      ? []
      : [[l10n.t('Suspended permissions'), suspendedText(decision)] as const]),
    [
      l10n.t('Since you first saw the tool'),
      [
        formatPinState(decision.pin),
        ...changeLines(decision, entry),
        ...schemaChanges(decision),
      ].join('\n'),
    ],
  ];
}

function suspendedText({ suspended }: Decision): string {
  return suspended
    .map(({ grant, reason }) => `${formatGrant(grant)} ${formatSuspension(reason)}`)
    .join('\n');
}

function formatPinState(pin: PinState): string {
  switch (pin.kind) {
    case 'known':
      return l10n.t('Its definition has not changed.');
    case 'new':
      return l10n.t('It is new: the server did not list it before.');
    case 'changed':
      return l10n.t('Its definition has changed.');
    case 'unlocked':
      return l10n.t('It differs from the tool that was reviewed for {0}.', pin.lockFile);
    default:
      return assertNever(pin);
  }
}

/** The previous schemas and hints. The current ones have their own parts. */
function schemaChanges({ pin }: Decision): string[] {
  if (pin.kind !== 'changed') return [];
  const { before, fields } = pin;
  return [
    ...(fields.includes('inputSchema')
      ? [l10n.t('Previous input schema:'), schemaText(before.inputSchema)]
      : []),
    ...(fields.includes('outputSchema')
      ? [l10n.t('Previous output schema:'), schemaText(before.outputSchema)]
      : []),
    ...(fields.includes('annotations')
      ? [l10n.t('Previous hints about the risk:'), schemaText(before.annotations)]
      : []),
  ];
}

function argumentsText(question: CallQuestion): string {
  return question.arguments === undefined
    ? l10n.t('No arguments.')
    : indentedJson(question.argumentsJson);
}

function schemaText(schema: unknown): string {
  try {
    return schema === undefined ? l10n.t('None.') : indentedJson(stringifyExactly(schema));
  } catch {
    // JSON can be parsed at a greater depth than it can be serialized.
    return l10n.t('Nested too deeply to show.');
  }
}

function indented(text: string): string {
  return visibleText(text, maxReviewChars, { newlines: 'keep' }).replaceAll(/^/gm, '    ');
}
