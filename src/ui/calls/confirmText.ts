import * as l10n from '@vscode/l10n';
import { argumentsExcerpt } from '../../core/arguments/argumentsText';
import { assertNever } from '../../core/errors';
import { toolProblems } from '../../core/toolProblems';
import type { ToolEntry } from '../../host/connections/snapshot';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import { isFromUser, type CallOrigin } from '../../host/consent/facts/callFacts';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { Decision } from '../../host/consent/consent';
import { startFacts, type StartPart } from '../../host/consent/trust/startFacts';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { violationSentence } from '../arguments/argumentProblems';
import { formatDecision } from '../format/formatDecision';
import { formatSuspension } from '../format/formatPermission';
import { dialogLines, drawnLines, drawnTitleLines, withinLines } from '../format/dialogLines';
import { riskLine, riskSentence } from '../format/formatRisk';
import { toolProblemSentence } from '../format/sentencesOfProblems';
import { toolNameText, toolTitle } from '../format/toolTitle';
import {
  defaultLines,
  defaultsHeading,
  unnamedLine,
  answerLines,
  answersHeading,
} from './formatDefaults';

const maxLabelChars = 200;
const maxReachChars = 300;
const maxClientChars = 48;

/** Maximum lengths of foreign text. */
interface TextLimits {
  readonly label: number;
  readonly change: number;
}

const inFull: TextLimits = { label: maxLabelChars, change: maxLabelChars };
const inDialog: TextLimits = { label: 64, change: 48 };
const maxLeftOut = 3;
const maxLeftOutChars = 60;
const maxNoteLines = 3;
const minNoteLines = 4;
const minArgumentLines = 3;

/** The text of the question in the dialog. */
export interface QuestionText {
  readonly message: string;
  readonly detail: string;
  /** True if there is something to warn about. */
  readonly isWarning: boolean;
  /** True if everything that is sent is visible at once, even in a small window. */
  readonly isWhole: boolean;
}

interface QuestionTerms {
  /** True if the question is shown again because it was answered before it could be read. */
  readonly isEarly?: boolean;
}

/**
 * The facts that the user decides by, as far as they fit into a window of 640 x 400: the tool, the
 * arguments that will be sent, the risk and how it is known, and what is special about this
 * call. The lines are the extension's; server text is always inside one of them. The review has
 * everything else.
 */
export function questionText(
  question: CallQuestion,
  { isEarly = false }: QuestionTerms = {},
): QuestionText {
  const message = questionMessage(question, inDialog);
  const risk = riskLine(question.entry.risk);
  const early = isEarly ? [earlyLine(), ''] : [];
  // An empty line separates what is sent from what is said about it.
  const room =
    dialogLines + 1 - drawnTitleLines(message) - drawnLines([...early, risk].join('\n')) - 1;
  const wanted = Math.min(argumentLines(question, room), minArgumentLines);
  const notes = notesWithin(noteLines(question), Math.max(minNoteLines, room - wanted));
  const given = argumentsWithin(question, Math.max(wanted, room - notes.lines));
  const isNamed = message === questionMessage(question);
  return {
    message,
    detail: [...early, given.text, '', risk, ...notes.texts].join('\n'),
    isWarning: isWarning(question),
    isWhole: isNamed && given.isWhole && notes.isWhole && leavesOutFew(question),
  };
}

/**
 * The second question after Run, with its reason, for calls that one accidental key press must not
 * start.
 */
export function secondQuestionText(
  question: CallQuestion,
  { isEarly = false }: QuestionTerms = {},
): Omit<QuestionText, 'isWhole'> {
  const { config, entry, origin } = question;
  const name = visibleText(toolNameText(entry.tool), inDialog.label);
  const server = visibleText(config.label, inDialog.label);
  const reasons = [
    ...(entry.risk.level === 'destructive' ? [riskSentence(entry.risk)] : []),
    ...originLine(origin),
    ...(questionText(question).isWhole ? [] : [detailsLeftOut()]),
  ];
  return {
    message: l10n.t('Really run “{0}” on “{1}”?', name, server),
    detail: [...(isEarly ? [earlyLine(), ''] : []), ...reasons].join('\n'),
    isWarning: true,
  };
}

export function detailsLeftOut(): string {
  return l10n.t('Some details did not fit. Select “Review” to see them.');
}

/** Says why a question is shown again. */
export function earlyLine(): string {
  return l10n.t('A key press was ignored because it came before you could read this.');
}

function isWarning(question: CallQuestion): boolean {
  const { decision, entry, origin, schemaProblem, violations = [] } = question;
  return (
    entry.risk.level === 'destructive' ||
    !isFromUser(origin) ||
    schemaProblem !== undefined ||
    violations.length > 0 ||
    decision.pin.kind !== 'known' ||
    decision.cause.kind === 'unreadable' ||
    hiddenTextLines(entry).length > 0
  );
}

/** The call in one line, with the agent that requests it. */
export function questionMessage(
  { config, entry, origin, client }: CallQuestion,
  { label: maxChars } = inFull,
): string {
  const title = visibleText(toolTitle(entry.tool), maxChars);
  const name = visibleText(toolNameText(entry.tool), maxChars);
  const server = visibleText(config.label, maxChars);
  if (origin === 'agent') {
    const agent = claimed(client);
    return title === name
      ? l10n.t('Agent “{0}” wants to run “{1}” on “{2}”', agent, name, server)
      : l10n.t('Agent “{0}” wants to run “{1}” ({2}) on “{3}”', agent, title, name, server);
  }
  return title === name
    ? l10n.t('Run “{0}” on “{1}”?', name, server)
    : l10n.t('Run “{0}” ({1}) on “{2}”?', title, name, server);
}

/** Special facts about this call, the most important first. */
function noteLines(question: CallQuestion): string[] {
  return [
    ...hiddenTextLines(question.entry),
    ...originLine(question.origin),
    ...schemaProblemLine(question),
    ...brokenSchemaLine(question),
    ...taskLine(question),
    ...unnamedLine(question),
    ...answersPart(question),
    ...reasonLines(question),
    ...leftOutPart(question),
  ];
}

interface NotesWithin {
  readonly texts: readonly string[];
  readonly lines: number;
  readonly isWhole: boolean;
}

function notesWithin(notes: readonly string[], room: number): NotesWithin {
  const texts: string[] = [];
  let lines = 0;
  let isWhole = true;
  for (const [index, note] of notes.entries()) {
    const text = withinLines(note, maxNoteLines);
    const isLast = index === notes.length - 1;
    if (lines + drawnLines(text) + (isLast ? 0 : 1) > room) {
      texts.push(l10n.t('… {0} more: Review', notes.length - index));
      return { texts, lines: lines + 1, isWhole: false };
    }
    isWhole &&= text === note;
    texts.push(text);
    lines += drawnLines(text);
  }
  return { texts, lines, isWhole };
}

/** The name or title that the user decides by may contain hidden or misleading characters. */
function hiddenTextLines({ tool }: ToolEntry): string[] {
  return toolProblems(tool)
    .filter(({ code }) => code === 'hiddenCharacters')
    .map(toolProblemSentence);
}

/** Most calls match no rule, so this is not mentioned here. The review shows it. */
function reasonLines({ decision, entry }: CallQuestion): string[] {
  const { cause, suspended } = decision;
  return [
    ...(cause.kind === 'noRule' ? [] : [formatDecision(decisionFacts(decision))]),
    ...changeLines(decision, entry, inDialog),
    ...suspended
      .slice(0, 1)
      .map(({ reason }) =>
        l10n.t('Your permission for this call is suspended. {0}', formatSuspension(reason)),
      ),
  ];
}

/** The tool's earlier and current statements about itself. Schemas appear only in the review. */
export function changeLines({ pin }: Decision, { tool }: ToolEntry, { change } = inFull): string[] {
  if (pin.kind !== 'changed') return [];
  const quote = (text: string | undefined): string =>
    text === undefined ? l10n.t('nothing') : `“${visibleText(text, change)}”`;
  const { before, fields } = pin;
  return [
    ...(fields.includes('title')
      ? [l10n.t('Its title was {0} and is {1}.', quote(before.title), quote(tool.title))]
      : []),
    ...(fields.includes('description')
      ? [
          l10n.t(
            'Its description was {0} and is {1}.',
            quote(before.description),
            quote(tool.description),
          ),
        ]
      : []),
  ];
}

function argumentLines(question: CallQuestion, room: number): number {
  const { text, isWhole } = argumentsWithin(question, room);
  return isWhole ? drawnLines(text) : Infinity;
}

function argumentsWithin(
  question: CallQuestion,
  room: number,
): { readonly text: string; readonly isWhole: boolean } {
  if (question.arguments === undefined) return { text: l10n.t('No arguments.'), isWhole: true };
  const json = question.argumentsJson;
  const whole = argumentsExcerpt(json, { lines: room, linesOf: drawnLines });
  if (whole.restChars === 0) return { text: whole.text, isWhole: true };
  const { text, restLines, restChars } = argumentsExcerpt(json, {
    lines: room - 1,
    linesOf: drawnLines,
  });
  const hint =
    restLines === undefined
      ? l10n.t('… {0} more characters: Review', restChars)
      : restLines === 1
        ? l10n.t('… 1 more line: Review')
        : l10n.t('… {0} more lines: Review', restLines);
  return { text: `${text}\n${hint}`, isWhole: false };
}

function leavesOutFew({ defaults = [] }: CallQuestion): boolean {
  return defaults.length <= maxLeftOut;
}

function leftOutPart(question: CallQuestion): string[] {
  const defaults = defaultLines(question, { lines: maxLeftOut, chars: maxLeftOutChars });
  const heading = defaults.length === 0 ? [] : [l10n.t('{0}:', defaultsHeading())];
  return [...heading, ...defaults];
}

function answersPart(question: CallQuestion): string[] {
  const lines = answerLines(question, { lines: maxLeftOut, chars: maxLeftOutChars });
  return lines.length === 0 ? [] : [l10n.t('{0}:', answersHeading()), ...lines];
}

/** Calls that the user starts from the palette, a view or a call file need no such line. */
export function originLine(origin: CallOrigin): string[] {
  switch (origin) {
    case 'palette':
    case 'tree':
    case 'file':
    case 'history':
      return [];
    case 'command':
      return [
        l10n.t('A link, key, task or other extension may have asked for this call, not you.'),
      ];
    case 'api':
      return [l10n.t('Another extension asks for this call, not you.')];
    case 'commandLine':
      return [l10n.t('The command line asks for this call.')];
    case 'agent':
      return [l10n.t('An agent asks for this call. It chose its own name.')];
    default:
      return assertNever(origin);
  }
}

/**
 * Agents need no long name, and a long one could be made to look like a sentence of the extension.
 */
function claimed(client = ''): string {
  return visibleText(client, maxClientChars);
}

/** Says whether the window must stay open for the task. */
export function taskLine({ task }: CallQuestion): string[] {
  switch (task) {
    case 'outlivesWindow':
      return [l10n.t('It runs as a task, which may continue without this window.')];
    case 'endsWithWindow':
      return [l10n.t('It runs as a task, which ends with this window.')];
    case undefined:
      return [];
    default:
      return assertNever(task);
  }
}

export function schemaProblemLine({ schemaProblem }: CallQuestion): string[] {
  if (schemaProblem === undefined) return [];
  const detail = visibleText(schemaProblem, maxReachChars);
  return [
    l10n.t(
      'The arguments were not validated because the schema of the tool is not valid ({0}).',
      detail,
    ),
  ];
}

/** Says that the arguments are sent on purpose although they violate the schema. */
export function brokenSchemaLine({ violations }: CallQuestion): string[] {
  const [first] = violations ?? [];
  if (first === undefined) return [];
  return [
    l10n.t(
      'Sent unchanged: these arguments do not match the schema. {0}',
      violationSentence(first),
    ),
  ];
}

/** The transport, with secrets as they are written in the configuration, or as dots. */
export function questionTransportLine(config: ServerConfig, maxChars: number): string {
  const partsOf = (parts: readonly StartPart[]): string[] =>
    startFacts(config)
      .filter(({ part }) => parts.includes(part))
      .map(({ value, written }) => value ?? written ?? '•••');
  if (config.transport.kind !== 'stdio') {
    return l10n.t('URL: {0}', visibleText(partsOf(['address']).join(''), maxChars));
  }
  const command = partsOf(['command', 'argument']).map(commandPart).join(' ');
  return l10n.t('Command: {0}', visibleText(command, maxChars));
}

/** Quotes an argument that contains a blank or a quote, because it would look like several. */
function commandPart(part: string): string {
  return part === '' || /[\s"']/.test(part) ? JSON.stringify(part) : part;
}
