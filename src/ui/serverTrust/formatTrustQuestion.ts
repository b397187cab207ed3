import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { RulePlace } from '../../host/consent/facts/callFacts';
import { startChanges, startFacts, type StartFact } from '../../host/consent/trust/startFacts';
import { formatRulePlace } from '../format/formatRule';
import { formatSource } from '../format/sentencesOfProblems';

/** A server that waits for a yes. */
export interface TrustQuestion {
  readonly config: ServerConfig;
  /** How it was started when somebody last agreed; absent where nobody has. */
  readonly before?: readonly StartFact[];
  /** The rules that may let calls of a server of this name run without a question. */
  readonly allowedBy?: readonly RulePlace[];
}

/** What the modal dialog says. */
export interface TrustDialog {
  readonly message: string;
  readonly detail: string;
  /** The button for yes; absent where the whole did not fit and must be looked at in the editor. */
  readonly start?: string;
}

/** What stands in the editor: the whole as text, or how it was and how it is now. */
export type TrustDocument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'diff'; readonly before: string; readonly now: string };

const maxLabelChars = 200;
/** What VS Code shows in an editor without complaint. */
const maxReviewChars = 2_000_000;
/** A longer dialog does not fit into a window of 600 pixels, and its buttons leave the screen. */
const maxDetailLines = 22;
const charsOfLine = 56;
/** VS Code draws no more than the beginning of a very long line, and people read no further. */
const charsOfDocumentLine = 80;
/** Of what did not fit, enough to see what it is about. */
const maxExcerptChars = 700;
const maxNames = 12;

/** Never longer than a dialog can be: what does not fit is left to {@link trustDocument}. */
export function trustDialog(questions: readonly TrustQuestion[]): TrustDialog {
  const message = trustMessage(questions);
  const detail = wholeDetail(questions);
  if (linesOf(detail) <= maxDetailLines) return { message, detail, start: startTitle(questions) };
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
    return changed === 0
      ? l10n.t('Start “{0}” for the first time?', label)
      : l10n.t('The start configuration of “{0}” has changed', label);
  }
  if (changed === 0) return l10n.t('Start {0} servers for the first time?', questions.length);
  return changed === questions.length
    ? l10n.t('The start configuration of {0} servers has changed', questions.length)
    : l10n.t('Start {0} servers that are new or have changed?', questions.length);
}

/** The words of yes: the verb, and how many. */
export function startTitle({ length }: readonly TrustQuestion[]): string {
  return length === 1 ? l10n.t('Start Server') : l10n.t('Start {0} Servers', length);
}

/** The same, asked once more where the document says the rest. */
export function startQuestion(questions: readonly TrustQuestion[]): string {
  const [first] = questions;
  return questions.length === 1 && first !== undefined
    ? l10n.t('Start “{0}” as shown?', visibleText(first.config.label, maxLabelChars))
    : l10n.t('Start {0} servers as shown?', questions.length);
}

/** Everything, however long. Every text from outside stands quoted inside its own line. */
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

/** Of the tab that shows the difference. */
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

/** A repository chooses the names of its servers, and so which of the person's rules mean them. */
function allowedLine({ allowedBy = [] }: TrustQuestion): string[] {
  if (allowedBy.length === 0) return [];
  const places = allowedBy.slice(0, maxNames).map(formatRulePlace).join(', ');
  return [l10n.t('Its calls may run without asking. {0}', places)];
}

/** Without the folder where it is that of the workspace: it would say the same of every server. */
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

/** As many as the dialog will draw; a long line takes several. */
function linesOf(text: string): number {
  return text
    .split('\n')
    .reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / charsOfLine)), 0);
}

function configuredLine({ source }: ServerConfig): string {
  return l10n.t('Configured in: {0}', formatSource(source));
}

/** Command and arguments as one line, as in a terminal, and a line for each other fact. */
function startLines(facts: readonly StartFact[]): string[] {
  const command = facts.filter(isOfCommand).map(shownFact);
  const rest = facts.filter((fact) => !isOfCommand(fact));
  return [...(command.length === 0 ? [] : [command.join(' ')]), ...startFactLines(rest)];
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

/** What is started or reached, a line for each fact about it. */
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
      return l10n.t('Restarted when a file changes: {0}', shown);
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

/** In quotes what stands in the configuration, and outside of them what we say of it. */
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

/** In quotes, so that it is seen where it begins and ends, and that nothing in it is a line. */
function quotedValue(value: string): string {
  return visibleText(JSON.stringify(value), maxReviewChars);
}

function nameText(name: string): string {
  return /^[\w.()-]+$/.test(name) ? name : quotedValue(name);
}

/** What is too long for a line goes on below it, further in than any line begins. */
function documentLines(lines: readonly string[], indent: number): string[] {
  const pattern = new RegExp(`.{1,${charsOfDocumentLine}}`, 'gsu');
  return lines.flatMap((line) =>
    (line.match(pattern) ?? ['']).map(
      (piece, index) => ' '.repeat(index === 0 ? indent : indent + 8) + piece,
    ),
  );
}
