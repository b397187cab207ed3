import { l10n } from 'vscode';
import { argumentsExcerpt } from '../../core/arguments/argumentsText';
import { assertNever } from '../../core/errors';
import { toolProblems } from '../../core/toolProblems';
import type { ToolEntry } from '../../host/connections/snapshot';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { Decision } from '../../host/consent/decision';
import { startFacts, type StartPart } from '../../host/consent/trust/startFacts';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { formatDecision } from '../format/formatDecision';
import { formatSuspension } from '../format/formatPermission';
import { riskSentence } from '../format/formatRisk';
import { formatSource, toolProblemSentence } from '../format/sentencesOfProblems';
import { toolNameText, toolTitle } from '../format/toolTitle';
import { defaultLines, defaultsHeading, unnamedLine } from './formatDefaults';

const maxLabelChars = 200;
const maxReachChars = 300;
const maxChangeChars = 200;
const maxDefaultChars = 120;

/** What is to be called, in one line. */
export function questionMessage({ config, entry }: CallQuestion): string {
  const title = toolTitle(entry.tool);
  const name = toolNameText(entry.tool);
  const server = serverText(config);
  return title === name
    ? l10n.t('Run “{0}” on “{1}”?', name, server)
    : l10n.t('Run “{0}” ({1}) on “{2}”?', title, name, server);
}

/**
 * Everything that the person decides by: the risk and how we know it, what is special about this
 * call, who is called, and what will be sent. The lines are ours; what comes from a server
 * stands inside one line each.
 */
export function questionDetail(question: CallQuestion): string {
  const { config, entry } = question;
  return [
    ...originLine(question.origin),
    riskSentence(entry.risk),
    ...hiddenTextLines(entry),
    ...schemaProblemLine(question),
    ...unnamedLine(question),
    ...reasonLines(question),
    '',
    l10n.t('Tool: {0}', toolNameText(entry.tool)),
    l10n.t('Server: {0} ({1})', serverText(config), formatSource(config.source)),
    questionReachLine(config, maxReachChars),
    '',
    argumentsPart(question),
    ...leftOutPart(question),
  ].join('\n');
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
    ...changeLines(decision, entry),
    ...suspended
      .slice(0, 1)
      .map(({ reason }) =>
        l10n.t('Your permission for it is suspended. {0}', formatSuspension(reason)),
      ),
  ];
}

/** What the tool said of itself before and says now; the schemas are for the review. */
export function changeLines({ pin }: Decision, { tool }: ToolEntry): string[] {
  if (pin.kind !== 'changed') return [];
  return [
    ...(pin.fields.includes('title')
      ? [l10n.t('Its title was {0} and is {1}.', quote(pin.before.title), quote(tool.title))]
      : []),
    ...(pin.fields.includes('description')
      ? [
          l10n.t(
            'Its description was {0} and is {1}.',
            quote(pin.before.description),
            quote(tool.description),
          ),
        ]
      : []),
  ];
}

function quote(text: string | undefined): string {
  return text === undefined ? l10n.t('nothing') : `“${visibleText(text, maxChangeChars)}”`;
}

function argumentsPart(question: CallQuestion): string {
  if (question.arguments === undefined) return l10n.t('No arguments.');
  const { text, restChars } = argumentsExcerpt(question.argumentsJson);
  const shown = `${l10n.t('Arguments:')}\n${text}`;
  if (restChars === 0) return shown;
  return `${shown}\n${l10n.t('… {0} more characters: Review in Editor', restChars)}`;
}

function leftOutPart(question: CallQuestion): string[] {
  const defaults = defaultLines(question, { lines: 5, chars: maxDefaultChars });
  const heading = defaults.length === 0 ? [] : ['', l10n.t('{0}:', defaultsHeading())];
  return [...heading, ...defaults];
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
        l10n.t(
          'A link, a key, a task or another extension of this editor may have asked for this call, not you.',
        ),
      ];
    case 'api':
      return [l10n.t('Another extension of this editor asks for this call, not you.')];
    default:
      return assertNever(origin);
  }
}

export function schemaProblemLine({ schemaProblem }: CallQuestion): string[] {
  if (schemaProblem === undefined) return [];
  const detail = visibleText(schemaProblem, maxReachChars);
  return [
    l10n.t('The arguments were not checked: the schema of the tool cannot be used ({0}).', detail),
  ];
}

/** Secrets as they are written, or as dots. */
export function questionReachLine(config: ServerConfig, maxChars: number): string {
  const partsOf = (parts: readonly StartPart[]): string[] =>
    startFacts(config)
      .filter(({ part }) => parts.includes(part))
      .map(({ value, written }) => value ?? written ?? '•••');
  if (config.reach.kind !== 'stdio') {
    return l10n.t('Address: {0}', visibleText(partsOf(['address']).join(''), maxChars));
  }
  const command = partsOf(['command', 'argument']).map(commandPart).join(' ');
  return l10n.t('Command: {0}', visibleText(command, maxChars));
}

/** Quoted where a blank or a quote would make one argument look like several. */
function commandPart(part: string): string {
  return part === '' || /[\s"']/.test(part) ? JSON.stringify(part) : part;
}

function serverText({ label }: ServerConfig): string {
  return visibleText(label, maxLabelChars);
}
