import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { RulePlace } from '../../host/consent/facts/callFacts';
import { startChanges, startFacts, type StartFact } from '../../host/consent/trust/startFacts';
import { drawnLines } from '../format/dialogLines';
import { formatRulePlace } from '../format/formatRule';
import { formatSource } from '../format/sentencesOfProblems';

/** A server whose start needs a confirmation. */
export interface TrustQuestion {
  readonly config: ServerConfig;
  /** How it was started when the user last agreed. Absent if that never happened. */
  readonly before?: readonly StartFact[];
  /** The rules that may allow calls of a server of this name without a question. */
  readonly allowedBy?: readonly RulePlace[];
}

/** Texts of the modal dialog. */
export interface TrustDialog {
  readonly message: string;
  readonly detail: string;
  /**
   * Label of the button that agrees. Absent if the facts did not fit and must be read in the
   * editor.
   */
  readonly start?: string;
}

/** Content of the editor: all facts as text, or a comparison with the previous start. */
type TrustDocument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'diff'; readonly before: string; readonly now: string };

const maxLabelChars = 200;
/** A text of this size opens in VS Code's editor without a warning. */
const maxReviewChars = 2_000_000;
/**
 * A longer dialog does not fit into a window of 600 pixels, so its buttons would be off the screen:
 * the oldest supported VS Code does not scroll it.
 */
const maxDetailLines = 24;
/** VS Code renders only the beginning of a very long line. */
const charsOfDocumentLine = 80;
/** The start of a text that does not fit, enough to recognize it. */
const maxExcerptChars = 700;
const maxNames = 12;

/**
 * Returns a dialog within the size limits. Facts that do not fit are only in {@link trustDocument}.
 */
export function trustDialog(questions: readonly TrustQuestion[]): TrustDialog {
  const message = trustMessage(questions);
  const detail = wholeDetail(questions);
  if (drawnLines(detail) <= maxDetailLines)
    return { message, detail, start: startTitle(questions) };
  const rest = l10n.t(
    'The details are too long for this dialog. Select Review to see them and start from there.',
  );
  return { message, detail: `${excerpt(questions)}\n\n${rest}` };
}

function trustMessage(questions: readonly TrustQuestion[]): string {
  const [first] = questions;
  const changed = questions.filter(({ before }) => before !== undefined).length;
  if (questions.length === 1 && first !== undefined) {
    const label = visibleText(first.config.label, maxLabelChars);
    if (changed > 0) return l10n.t('The start configuration of “{0}” has changed', label);
    return isRemote(first)
      ? l10n.t('Connect to “{0}” for the first time?', label)
      : l10n.t('Start “{0}” for the first time?', label);
  }
  if (changed === 0) return l10n.t('Start {0} servers for the first time?', questions.length);
  return changed === questions.length
    ? l10n.t('The start configuration of {0} servers has changed', questions.length)
    : l10n.t('Start {0} servers that are new or have changed?', questions.length);
}

/** Returns true if nothing is started: the row of such a server has Connect as well. */
function isRemote({ config }: TrustQuestion): boolean {
  return config.transport.kind !== 'stdio';
}

/** Returns the label of the button that agrees: the verb and the number of servers. */
export function startTitle(questions: readonly TrustQuestion[]): string {
  const [first] = questions;
  if (questions.length !== 1 || first === undefined)
    return l10n.t('Start {0} Servers', questions.length);
  return isRemote(first) ? l10n.t('Connect') : l10n.t('Start Server');
}

/** Formats the same as a question, for the second confirmation after reading the document. */
export function startQuestion(questions: readonly TrustQuestion[]): string {
  const [first] = questions;
  if (questions.length !== 1 || first === undefined)
    return l10n.t('Start {0} servers as shown?', questions.length);
  const label = visibleText(first.config.label, maxLabelChars);
  return isRemote(first)
    ? l10n.t('Connect to “{0}” as shown?', label)
    : l10n.t('Start “{0}” as shown?', label);
}

/**
 * Returns all facts without a limit. Each text from the configuration is quoted on its own line.
 */
export function trustDocument(questions: readonly TrustQuestion[]): TrustDocument {
  const [first] = questions;
  if (questions.length === 1 && first?.before !== undefined) {
    return {
      kind: 'diff',
      before: documentLines(startFactLines(first.before), 0).join('\n'),
      now: documentLines(startFactLines(startFacts(first.config)), 0).join('\n'),
    };
  }
  const sections = questions.flatMap((question) => {
    const { config, before } = question;
    const facts = startFacts(config);
    return [
      '',
      visibleText(config.label, maxLabelChars),
      `    ${configuredLine(config)}`,
      ...allowedLine(question).map((line) => `    ${line}`),
      ...(before === undefined
        ? []
        : [
            `    ${l10n.t('Changes since the last approval:')}`,
            ...documentLines(changeLines(before, facts), 8),
            `    ${l10n.t('New configuration:')}`,
          ]),
      ...documentLines(startFactLines(facts), before === undefined ? 4 : 8),
    ];
  });
  return { kind: 'text', text: [trustMessage(questions), ...sections, ''].join('\n') };
}

/** Returns the title of the diff editor. */
export function trustDiffTitle({ config }: TrustQuestion): string {
  return l10n.t('How “{0}” is started: before ↔ now', visibleText(config.label, maxLabelChars));
}

function wholeDetail(questions: readonly TrustQuestion[]): string {
  const [first] = questions;
  if (questions.length === 1 && first !== undefined) return oneDetail(first);
  return questions.map(shortSection).join('\n\n');
}

function oneDetail(question: TrustQuestion): string {
  const { config, before } = question;
  const facts = startFacts(config);
  const { transport } = config;
  const introduction = formatIntroduction(transport);
  const changes =
    before === undefined ? [] : [l10n.t('Changes:'), ...changeLines(before, facts), ''];
  const configured = [configuredLine(config), ...allowedLine(question)];
  return [...changes, introduction, ...startLines(facts), '', ...configured].join('\n');
}

function formatIntroduction(transport: ServerConfig['transport']): string {
  if (transport.kind !== 'stdio') return l10n.t('It connects to this URL:');
  return transport.recording === undefined
    ? l10n.t('It runs this program on your machine with your permissions:')
    : l10n.t('It runs no program and replays this recording:');
}

/**
 * A repository chooses the names of its servers, and so which of the user's rules apply to them.
 */
function allowedLine({ allowedBy = [] }: TrustQuestion): string[] {
  if (allowedBy.length === 0) return [];
  const places = allowedBy.slice(0, maxNames).map(formatRulePlace).join(', ');
  return [l10n.t('Its calls may run without asking. {0}', places)];
}

/** Leaves out the folder if it is the workspace folder, which is the same for every server. */
function shortSection(question: TrustQuestion): string {
  const { config, before } = question;
  const facts = startFacts(config);
  const { source } = config;
  const home = source.kind === 'workspaceFile' ? source.folder : undefined;
  const label = visibleText(config.label, maxLabelChars);
  const place = formatSource(config.source);
  return [
    before === undefined
      ? l10n.t('{0} ({1})', label, place)
      : l10n.t('{0} ({1}), changed:', label, place),
    ...(before === undefined ? [] : changeLines(before, facts)),
    ...startLines(facts.filter(({ part, value }) => part !== 'folder' || value !== home)),
    ...allowedLine(question),
  ].join('\n');
}

function excerpt(questions: readonly TrustQuestion[]): string {
  const [first] = questions;
  if (questions.length === 1 && first !== undefined) {
    const lines = wholeDetail(questions).split('\n').slice(0, maxNames);
    return visibleText(lines.join('\n'), maxExcerptChars, { newlines: 'keep' });
  }
  const names = questions
    .slice(0, maxNames)
    .map(({ config }) => visibleText(config.label, maxLabelChars / 4));
  return [...names, ...(questions.length > maxNames ? ['…'] : [])].join('\n');
}

function configuredLine({ source }: ServerConfig): string {
  return l10n.t('Configured in: {0}', formatSource(source));
}

/**
 * Returns command and arguments as one line like in a terminal, the tools as another, and each
 * other fact on its own line.
 */
function startLines(facts: readonly StartFact[]): string[] {
  const command = facts.filter(isOfCommand).map(shownFact);
  const tools = facts.filter(({ part, value }) => part === 'tool' && value !== undefined);
  const rest = facts.filter((fact) => !isOfCommand(fact) && !tools.includes(fact));
  return [
    ...(command.length === 0 ? [] : [command.join(' ')]),
    ...startFactLines(rest),
    ...(tools.length === 0
      ? []
      : [l10n.t('Only these tools: {0}', tools.map(shownFact).join(', '))]),
  ];
}

function isOfCommand({ part }: StartFact): boolean {
  return part === 'command' || part === 'argument';
}

function changeLines(before: readonly StartFact[], now: readonly StartFact[]): string[] {
  return startChanges(before, now).map(({ kind, fact }) => {
    const line = factLine(fact);
    return kind === 'removed' ? `- ${line}` : `+ ${line}`;
  });
}

/** Returns what is started or contacted, each fact on its own line. */
export function startFactLines(facts: readonly StartFact[]): string[] {
  return facts.map(factLine);
}

function factLine(fact: StartFact): string {
  const { part, name = '' } = fact;
  const shown = shownFact(fact);
  switch (part) {
    case 'command':
      return l10n.t('Command: {0}', shown);
    case 'argument':
      return l10n.t('Argument: {0}', shown);
    case 'folder':
      return l10n.t('Folder: {0}', shown);
    case 'file':
      return l10n.t('Variables from: {0}', shown);
    case 'address':
      return l10n.t('URL: {0}', shown);
    case 'transport':
      return l10n.t('Transport: {0}', shown);
    case 'era':
      return l10n.t('Protocol: {0}', shown);
    case 'input':
      return l10n.t('Input {0} = output of the command {1}', nameText(name), shown);
    case 'recording':
      return name === 'server'
        ? l10n.t('Name in the recording: {0}', shown)
        : l10n.t('Recording: {0}', shown);
    case 'watch':
      return l10n.t('Restarts when a file changes: {0}', shown);
    case 'tool':
      return shown === '' ? l10n.t('No tools') : l10n.t('Tool: {0}', shown);
    case 'variable':
      return shown === ''
        ? l10n.t('Unsets variable {0}', nameText(name))
        : l10n.t('Variable {0} = {1}', nameText(name), shown);
    case 'header':
      return l10n.t('Header {0} = {1}', nameText(name), shown);
    case 'signIn':
      return l10n.t('Sign-in: {0} = {1}', nameText(name), shown);
    default:
      return assertNever(part);
  }
}

/** Texts of the configuration are quoted; our own words are not. */
function shownFact({ value, written, mask }: StartFact): string {
  const source = written === undefined ? undefined : quotedValue(written);
  if (mask !== undefined) {
    const { length, digest } = mask;
    return source === undefined
      ? l10n.t('(secret, {0} characters, hash {1})', length, digest)
      : l10n.t('{0} (secret, {1} characters, hash {2})', source, length, digest);
  }
  if (value === undefined) return '';
  return source === undefined
    ? quotedValue(value)
    : l10n.t('{0} (now {1})', source, quotedValue(value));
}

/** The quotes show where a text begins and ends, and the text cannot add lines. */
function quotedValue(value: string): string {
  return visibleText(JSON.stringify(value), maxReviewChars);
}

function nameText(name: string): string {
  return /^[\w.()-]+$/.test(name) ? name : quotedValue(name);
}

/** A long line continues below, indented further than any first line. */
function documentLines(lines: readonly string[], indent: number): string[] {
  const pattern = new RegExp(`.{1,${charsOfDocumentLine}}`, 'gsu');
  return lines.flatMap((line) =>
    (line.match(pattern) ?? ['']).map(
      (piece, index) => ' '.repeat(index === 0 ? indent : indent + 8) + piece,
    ),
  );
}
