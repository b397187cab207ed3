import { l10n } from 'vscode';
import { argumentsExcerpt, indentedJson } from '../../core/arguments/argumentsText';
import { assertNever } from '../../core/errors';
import type { Tool } from '../../core/types';
import { visibleText } from '../../core/visibleText';
import type { CallOrigin, CallQuestion } from '../../host/call';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { hintLines, riskSentence } from '../words/riskWords';
import { sourceWords } from '../words/sentencesOfProblems';
import { toolNameText, toolTitle } from '../words/toolTitle';

const maxLabelChars = 200;
const maxReachChars = 300;
/** What VS Code shows in an editor without complaint; beyond it a person reads nothing. */
const maxReviewChars = 2_000_000;

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
 * Everything that the person decides by: the risk and how we know it, who is called, and what will
 * be sent. The lines are ours; what comes from a server stands inside one line each.
 */
export function questionDetail(question: CallQuestion): string {
  const { config, entry } = question;
  return [
    ...originLine(question.origin),
    riskSentence(entry.risk),
    ...schemaProblemLine(question),
    '',
    l10n.t('Tool: {0}', toolNameText(entry.tool)),
    l10n.t('Server: {0} ({1})', serverText(config), sourceWords(config.source)),
    reachLine(config, maxReachChars),
    '',
    argumentsPart(question),
  ].join('\n');
}

function argumentsPart(question: CallQuestion): string {
  if (question.arguments === undefined) return l10n.t('No arguments.');
  const { text, restChars } = argumentsExcerpt(question.argumentsJson);
  const shown = `${l10n.t('Arguments:')}\n${text}`;
  if (restChars === 0) return shown;
  return `${shown}\n${l10n.t('… {0} more characters: Review in Editor', restChars)}`;
}

/**
 * The same without bounds that matter to a person, and with what the server says about the tool.
 * Every line of foreign text is indented, so that none can pass for one of ours.
 */
export function reviewText(question: CallQuestion): string {
  const { config, entry } = question;
  const { tool, risk } = entry;
  const sent =
    question.arguments === undefined
      ? l10n.t('No arguments.')
      : indentedJson(question.argumentsJson);
  const parts: readonly (readonly [string, string])[] = [
    [l10n.t('Arguments as they will be sent'), sent],
    [l10n.t('Tool'), toolNameText(tool)],
    [l10n.t('Server'), `${config.label}\n${sourceWords(config.source)}`],
    [l10n.t('How the server is reached'), reachLine(config, maxReviewChars)],
    [l10n.t('What the server says about the tool'), tool.description ?? l10n.t('Nothing.')],
    [
      l10n.t('Hints about the risk'),
      hintLines(risk)
        .map(({ hint, words }) => `${hint}: ${words}`)
        .join('\n'),
    ],
    [l10n.t('Input schema'), schemaText(tool)],
  ];
  return [
    questionMessage(question),
    '',
    ...originLine(question.origin),
    riskSentence(risk),
    ...schemaProblemLine(question),
    ...parts.flatMap(([heading, text]) => ['', heading, indented(text)]),
    '',
  ].join('\n');
}

function schemaText({ inputSchema }: Tool): string {
  try {
    return indentedJson(JSON.stringify(inputSchema));
  } catch {
    // JSON can be read deeper than it can be written.
    return l10n.t('Nested too deeply to be shown.');
  }
}

/** What a person wished for from the palette or the tree needs no word about who asked. */
function originLine(origin: CallOrigin): string[] {
  switch (origin) {
    case 'palette':
    case 'tree':
      return [];
    case 'api':
      return [l10n.t('Another extension of this editor asks for this call, not you.')];
    default:
      return assertNever(origin);
  }
}

function schemaProblemLine({ schemaProblem }: CallQuestion): string[] {
  if (schemaProblem === undefined) return [];
  const detail = visibleText(schemaProblem, maxReachChars);
  return [
    l10n.t('The arguments were not checked: the schema of the tool cannot be used ({0}).', detail),
  ];
}

function reachLine({ reach }: ServerConfig, maxChars: number): string {
  if (reach.kind !== 'stdio') return l10n.t('Address: {0}', visibleText(reach.url, maxChars));
  const command = [reach.command, ...reach.args].map(commandPart).join(' ');
  return l10n.t('Command: {0}', visibleText(command, maxChars));
}

/** Quoted where a blank or a quote would make one argument look like several. */
function commandPart(part: string): string {
  return part === '' || /[\s"']/.test(part) ? JSON.stringify(part) : part;
}

function serverText({ label }: ServerConfig): string {
  return visibleText(label, maxLabelChars);
}

function indented(text: string): string {
  return visibleText(text, maxReviewChars, { newlines: 'keep' }).replaceAll(/^/gm, '    ');
}
