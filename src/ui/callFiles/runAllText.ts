import * as l10n from '@vscode/l10n';
import { indentedJson } from '../../core/arguments/argumentsText';
import { assertNever } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { isFromUser, type CallOrigin } from '../../host/consent/facts/callFacts';
import { decisionFacts } from '../../host/journal/decisionFacts';
import {
  detailsLeftOut,
  earlyLine,
  originLine,
  type QuestionText,
  questionTransportLine,
  schemaProblemLine,
  brokenSchemaLine,
} from '../calls/confirmText';
import {
  answerLines,
  answersHeading,
  defaultLines,
  defaultsHeading,
  unnamedLine,
} from '../calls/formatDefaults';
import { dialogLines, drawnLines, drawnTitleLines, withinLines } from '../format/dialogLines';
import { formatDecision } from '../format/formatDecision';
import { formatBriefRisk, riskSentence } from '../format/formatRisk';
import { formatSource } from '../format/sentencesOfProblems';
import { quoted } from '../format/sentences';
import { toolNameText, toolTitle } from '../format/toolTitle';
import { formatList } from '../format/windowFacts';
import type { CallPreview } from './callPreviews';
import { quotedCallName } from './formatRun';

/** The position of a call in the list. */
interface ListedCall {
  /** Index of the call in the file. */
  readonly index: number;
  readonly line: number;
}

export interface RunAllText {
  readonly text: string;
  readonly calls: readonly ListedCall[];
}

/** The user's changes to the list, as indexes of calls in the file. */
interface RunAllChoice {
  readonly checked: ReadonlySet<number>;
  /** Destructive calls whose arguments are expanded. */
  readonly unfolded: ReadonlySet<number>;
  /** True if the run continues after a call that does not pass. Defaults to false. */
  readonly goesOn?: boolean;
}

const maxReachChars = 2_000;
const maxDefaultChars = 1_000;
const maxListedChars = 500_000;
const maxOnOneLine = 100;
const indent = '    ';

/** Returns true if the call can be approved together with others. */
export function canBeApprovedTogether(
  previewed: CallPreview,
): previewed is Extract<CallPreview, { kind: 'asked' }> {
  return previewed.kind === 'asked' && previewed.alone === undefined;
}

export function isDestructive({ question }: Extract<CallPreview, { kind: 'asked' }>): boolean {
  return question.entry.risk.level === 'destructive';
}

/**
 * Lists all calls of a file as one question: their effects, with exactly the arguments that are
 * approved. Each line of foreign text is indented or embedded in a line of Toolgate's own.
 */
export function runAllText(
  fileName: string,
  origin: CallOrigin,
  previewed: readonly CallPreview[],
  choice: RunAllChoice,
): RunAllText {
  const lines = [
    ...headLines(fileName, origin),
    l10n.t('Checked calls run once with exactly these arguments, without asking again.'),
    l10n.t('You are asked about the other calls when it is their turn.'),
    '',
  ];
  const calls: ListedCall[] = [];
  for (const [index, each] of previewed.entries()) {
    calls.push({ index, line: lines.length });
    const facts = [...phaseLine(each), ...callLines(each, index, choice)].map(
      (line) => indent + line,
    );
    lines.push(`${markOf(each, index, choice)} ${nameLine(each)}`, ...facts, '');
  }
  return { text: [...lines, ...serverLines(previewed), ''].join('\n'), calls };
}

/**
 * The same question in a dialog, with the calls that it approves. Without `isWhole`, something that
 * is sent or special about a call is in the list only.
 */
export function runAllDialog(
  fileName: string,
  origin: CallOrigin,
  previewed: readonly CallPreview[],
  { asked, isEarly }: { readonly asked: readonly CallPreview[]; readonly isEarly: boolean },
): QuestionText {
  const message = l10n.t('Run the calls of “{0}”?', quoted(fileName));
  const others = previewed.length - asked.length;
  const before = [...(isEarly ? [earlyLine(), ''] : []), ...originLine(origin)];
  const after =
    others === 0 ? [] : [l10n.t('Other calls: {0}. Select “Review” to see how they run.', others)];
  const all = asked.map(dialogLine).join('\n');
  const room =
    dialogLines + 1 - drawnTitleLines(message) - drawnLines([...before, ...after].join('\n'));
  const listed = withinLines(all, room);
  const isPlain = asked.every((each) => each.kind === 'asked' && hasNoNotes(each));
  return {
    message,
    detail: [...before, ...(listed === '' ? [] : [listed]), ...after].join('\n'),
    isWarning: !isFromUser(origin) || !isPlain,
    isWhole: isPlain && listed === all,
  };
}

/** The second question after Run, for calls that the dialog does not show as a whole. */
export function secondRunAllDialog(
  fileName: string,
  isEarly: boolean,
): Omit<QuestionText, 'isWhole'> {
  return {
    message: l10n.t('Really run the calls of “{0}”?', quoted(fileName)),
    detail: [...(isEarly ? [earlyLine(), ''] : []), detailsLeftOut()].join('\n'),
    isWarning: true,
  };
}

function dialogLine(each: CallPreview): string {
  if (!('question' in each)) return nameLine(each);
  const { entry, arguments: given, argumentsJson } = each.question;
  const line = l10n.t('• {0}, {1}', nameLine(each), formatBriefRisk(entry.risk));
  return given === undefined ? line : `${line}: ${shown(argumentsJson)}`;
}

/** Returns true if the list says nothing of the call but its risk and its arguments. */
function hasNoNotes({ question }: Extract<CallPreview, { kind: 'asked' }>): boolean {
  const notes = [schemaProblemLine, brokenSchemaLine, unnamedLine, answersPart, leftOutLines];
  return (
    question.decision.cause.kind === 'noRule' && notes.every((of) => of(question).length === 0)
  );
}

/** For agents, each call has the name of its agent. */
function headLines(fileName: string, origin: CallOrigin): string[] {
  if (origin === 'agent') {
    const whose = l10n.t('Each line starts with the name that the agent gives itself.');
    return [l10n.t('Run the calls of agents?'), '', whose];
  }
  return [l10n.t('Run the calls of “{0}”?', quoted(fileName)), '', ...originLine(origin)];
}

function markOf(previewed: CallPreview, index: number, { checked }: RunAllChoice): string {
  // Uses a hyphen, because VS Code marks longer dashes as ambiguous characters.
  if (!canBeApprovedTogether(previewed)) return ' - ';
  return checked.has(index) ? '[x]' : '[ ]';
}

function nameLine(previewed: CallPreview): string {
  const { call } = previewed;
  const name = quotedCallName(call);
  if (!('question' in previewed)) {
    return l10n.t('{0}: “{1}” on “{2}”', name, quoted(call.target.name), quoted(call.server));
  }
  const { config, entry } = previewed.question;
  const [title, tool, server] = [
    toolTitle(entry.tool),
    toolNameText(entry.tool),
    quoted(config.label),
  ];
  return title === tool
    ? l10n.t('{0}: “{1}” on “{2}”', name, tool, server)
    : l10n.t('{0}: “{1}” ({2}) on “{3}”', name, title, tool, server);
}

function phaseLine({ call: { phase } }: CallPreview): string[] {
  if (phase === undefined) return [];
  return phase === 'before'
    ? [l10n.t('Setup: if it fails, the other calls do not run.')]
    : [l10n.t('Cleanup: runs at the end, even if other calls fail or the run is cancelled.')];
}

function callLines(previewed: CallPreview, index: number, choice: RunAllChoice): string[] {
  switch (previewed.kind) {
    case 'asked':
      return askedLines(previewed, index, choice);
    case 'allowed':
      return [
        l10n.t(
          'Runs without asking. {0}',
          formatDecision(decisionFacts(previewed.question.decision)),
        ),
      ];
    case 'denied':
      return [endLine(formatDecision(decisionFacts(previewed.question.decision)), choice)];
    case 'read':
      return [l10n.t('Reads a resource or a prompt without asking.')];
    case 'later': {
      const names = formatList(previewed.names.map((name) => l10n.t('“{0}”', quoted(name))));
      return [l10n.t('Asks separately because its arguments come from the result of {0}.', names)];
    }
    case 'unsent':
      return choice.goesOn === true
        ? [l10n.t('Cannot be sent. {0}', previewed.sentence)]
        : [l10n.t('The run ends here because it cannot be sent. {0}', previewed.sentence)];
    default:
      return assertNever(previewed);
  }
}

function endLine(why: string, { goesOn }: RunAllChoice): string {
  return goesOn === true ? l10n.t('Will not run. {0}', why) : l10n.t('The run ends here. {0}', why);
}

function askedLines(
  previewed: Extract<CallPreview, { kind: 'asked' }>,
  index: number,
  { checked, unfolded }: RunAllChoice,
): string[] {
  const { question, alone } = previewed;
  const risk = riskSentence(question.entry.risk);
  if (alone !== undefined) return [risk, aloneSentence(alone)];
  if (isDestructive(previewed) && !unfolded.has(index)) {
    return [risk, l10n.t('Asks separately. Expand it to see its arguments and check it.')];
  }
  const { decision } = question;
  return [
    risk,
    ...(decision.cause.kind === 'noRule' ? [] : [formatDecision(decisionFacts(decision))]),
    ...schemaProblemLine(question),
    ...brokenSchemaLine(question),
    ...unnamedLine(question),
    ...argumentLines(question),
    ...answersPart(question),
    ...leftOutLines(question),
    ...(checked.has(index) ? [] : [l10n.t('Asks separately.')]),
  ];
}

function aloneSentence(alone: 'changed' | 'hidden' | 'long' | 'destructive'): string {
  return {
    changed: l10n.t('Asks again because it is new or has changed.'),
    hidden: l10n.t('Asks separately because its name or title has hidden characters.'),
    destructive: l10n.t('Asks separately because it may delete or overwrite.'),
    long: l10n.t('Asks separately because its arguments are too long for this list.'),
  }[alone];
}

function argumentLines(question: CallQuestion): string[] {
  const { argumentsJson } = question;
  if (question.arguments === undefined) return [l10n.t('No arguments.')];
  const isShort = argumentsJson.length <= maxOnOneLine;
  if (isShort) return [l10n.t('Arguments: {0}', shown(argumentsJson))];
  const lines = shown(indentedJson(argumentsJson)).split('\n');
  return [l10n.t('Arguments:'), ...lines.map((line) => indent + line)];
}

function answersPart(question: CallQuestion): string[] {
  const lines = answerLines(question, { lines: Infinity, chars: maxDefaultChars });
  return lines.length === 0
    ? []
    : [l10n.t('{0}:', answersHeading()), ...lines.map((line) => indent + line)];
}

function shown(json: string): string {
  return visibleText(json, maxListedChars, { newlines: 'keep' });
}

function leftOutLines(question: CallQuestion): string[] {
  const defaults = defaultLines(question, { lines: Infinity, chars: maxDefaultChars });
  if (defaults.length === 0) return [];
  return [l10n.t('{0}:', defaultsHeading()), ...defaults.map((line) => indent + line)];
}

/** Formats how each server that receives a call is launched. */
function serverLines(previewed: readonly CallPreview[]): string[] {
  const servers = new Map<string, ServerConfig>();
  for (const each of previewed) {
    if ('question' in each) servers.set(each.question.config.id, each.question.config);
  }
  return [...servers.values()].flatMap((config) => [
    l10n.t('Server: {0} ({1})', quoted(config.label), formatSource(config.source)),
    indent + questionTransportLine(config, maxReachChars),
  ]);
}
