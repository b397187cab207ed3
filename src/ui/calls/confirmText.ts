import * as l10n from '@vscode/l10n';
import { argumentsExcerpt } from '../../core/arguments/argumentsText';
import { assertNever } from '../../core/errors';
import { toolProblems } from '../../core/toolProblems';
import type { ToolEntry } from '../../host/connections/snapshot';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import { isByHand, type CallOrigin } from '../../host/consent/facts/callOrigin';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { Decision } from '../../host/consent/decision';
import { startFacts, type StartPart } from '../../host/consent/trust/startFacts';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { violationSentence } from '../arguments/argumentProblems';
import { formatDecision } from '../format/formatDecision';
import { formatSuspension } from '../format/formatPermission';
import { dialogLines, drawnLines, drawnTitleLines, withinLines } from '../format/dialogLines';
import { riskLine, riskSentence } from '../format/formatRisk';
import { toolProblemSentence } from '../format/sentencesOfProblems';
import { toolNameText, toolTitle } from '../format/toolTitle';
import { answerLines, answersHeading } from './formatAnswers';
import { defaultLines, defaultsHeading, unnamedLine } from './formatDefaults';

const maxLabelChars = 200;
const maxReachChars = 300;
const maxClientChars = 48;

/** How much of what others wrote is shown. */
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

/** The question as the dialog has it. */
export interface QuestionText {
  readonly message: string;
  readonly detail: string;
  /** Whether there is something to warn of. */
  readonly isWarning: boolean;
  /** Whether all that is sent can be seen at once, also in a small window. */
  readonly isWhole: boolean;
}

export interface QuestionTerms {
  /** Whether it is shown again because it was answered before it could be read. */
  readonly isEarly?: boolean;
}

/**
 * What the person decides by, as far as it fits into a window of 640 x 400: what is called, what
 * will be sent, the risk and how we know it, and what is special about this call. Lines are
 * ours; what comes from a server stands inside one each. The review has everything else.
 */
export function questionText(
  question: CallQuestion,
  { isEarly = false }: QuestionTerms = {},
): QuestionText {
  const message = questionMessage(question, inDialog);
  const risk = riskLine(question.entry.risk);
  const early = isEarly ? [earlyLine(), ''] : [];
  // An empty line stands between what is sent and what is said about it.
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

/** Asked after Run where a key that was pressed by mistake must not be enough, and why. */
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
    ...(questionText(question).isWhole
      ? []
      : [l10n.t('Some details did not fit. Select “Review” to see them.')]),
  ];
  return {
    message: l10n.t('Really run “{0}” on “{1}”?', name, server),
    detail: [...(isEarly ? [earlyLine(), ''] : []), ...reasons].join('\n'),
    isWarning: true,
  };
}

function earlyLine(): string {
  return l10n.t('A key press was ignored because it came before you could read this.');
}

function isWarning(question: CallQuestion): boolean {
  const { decision, entry, origin, schemaProblem, violations = [] } = question;
  return (
    entry.risk.level === 'destructive' ||
    !isByHand(origin) ||
    schemaProblem !== undefined ||
    violations.length > 0 ||
    decision.pin.kind !== 'known' ||
    decision.cause.kind === 'unreadable' ||
    hiddenTextLines(entry).length > 0
  );
}

/** The call in one line, with the agent that asks for it. */
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

/** What is special about this call, the most important first. */
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

/** A name or title that the person decides by may not be what it seems. */
function hiddenTextLines({ tool }: ToolEntry): string[] {
  return toolProblems(tool)
    .filter(({ code }) => code === 'hiddenCharacters')
    .map(toolProblemSentence);
}

/** That nothing covers a call is the rule and needs no word here; the review says it. */
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

/** What the tool said of itself before and says now; the schemas are for the review. */
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

/** What a person wished for from the palette, a view or a call file needs no word about that. */
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

/** No agent needs a long name, and one may be made to look like a sentence of ours. */
function claimed(client = ''): string {
  return visibleText(client, maxClientChars);
}

/** The window need not stay open for it, or must. */
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

/** The arguments are sent on purpose although they break the schema. */
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

/** Secrets as they are written, or as dots. */
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

/** Quoted where a blank or a quote would make one argument look like several. */
function commandPart(part: string): string {
  return part === '' || /[\s"']/.test(part) ? JSON.stringify(part) : part;
}
