import { l10n, MarkdownString } from 'vscode';
import { assertNever } from '../../core/errors';
import type { Server } from '../../host/connections/snapshot';
import { plainMarkdown } from './plainMarkdown';
import { problemWords } from './problemWords';
import { hintLines, riskSentence } from '../words/riskWords';
import { sourceWords, toolProblemSentence } from '../words/sentencesOfProblems';
import { toolTitle } from '../words/toolTitle';
import type { TreeModel } from './treeModel';
import type { ProblemRow, Row, ServerRow, ToolRow } from './treeRows';

const maxDescriptionChars = 2_000;
const maxLineChars = 300;
const maxProblems = 10;

/** What stands in the tooltip of a row. Text of servers is in it as text only. */
export function toTooltip(row: Row, model: TreeModel): MarkdownString | undefined {
  switch (row.kind) {
    case 'server':
      return serverTooltip(row, model);
    case 'tool':
      return toolTooltip(row, model);
    case 'problem':
      return problemTooltip(row, model);
    case 'group':
    case 'noMatch':
      return undefined;
    default:
      return assertNever(row);
  }
}

/** Paragraphs of Markdown; everything that is not a constant here went through plainMarkdown. */
function markdown(paragraphs: readonly string[]): MarkdownString {
  const tooltip = new MarkdownString(paragraphs.join('\n\n'), false);
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  return tooltip;
}

const text = (foreign: string): string =>
  plainMarkdown(foreign, maxDescriptionChars, { newlines: 'keep' });
const line = (foreign: string): string => plainMarkdown(foreign, maxLineChars);
const bold = (foreign: string): string => `**${line(foreign)}**`;
const list = (lines: readonly string[]): string =>
  lines.map((each) => `- ${line(each)}`).join('\n');

function toolTooltip(row: ToolRow, model: TreeModel): MarkdownString | undefined {
  const entry = model.entry(row);
  if (entry === undefined) return undefined;
  const { tool, risk } = entry;
  const title = toolTitle(tool);
  const problems = tool.problems.slice(0, maxProblems).map(toolProblemSentence);
  return markdown([
    ...(title === '' ? [] : [bold(title)]),
    line(l10n.t('Name: {0}', tool.name)),
    text(tool.description ?? l10n.t('The server gives no description.')),
    ...(tool.callable ? [line(riskSentence(risk))] : []),
    ...(tool.callable
      ? [list(hintLines(risk).map(({ hint, words }) => l10n.t('{0}: {1}', hint, words)))]
      : []),
    ...(problems.length === 0 ? [] : [bold(l10n.t('Problems')), list(problems)]),
  ]);
}

function serverTooltip(row: ServerRow, model: TreeModel): MarkdownString | undefined {
  const server = model.server(row);
  if (server === undefined) return undefined;
  const { config } = server;
  return markdown([
    bold(config.label),
    line(l10n.t('Configured in: {0}', sourceWords(config.source))),
    line(reachWords(server)),
    ...stateLines(server).map(line),
  ]);
}

/** Program or address only: arguments, environment and headers may hold secrets. */
function reachWords({ config: { reach } }: Server): string {
  if (reach.kind === 'stdio') return l10n.t('Program: {0}', reach.command);
  return l10n.t('Address: {0}', URL.canParse(reach.url) ? new URL(reach.url).host : '?');
}

function stateLines({ state, tools }: Server): string[] {
  switch (state.kind) {
    case 'stopped':
      return [l10n.t('Stopped. Start it to see its tools.')];
    case 'starting':
      return [l10n.t('Starting…')];
    case 'failed':
      return [l10n.t('Failed. The row below says why.')];
    case 'running':
      return [
        l10n.t(
          'Running since {0}, protocol {1}, {2} tools.',
          new Date(state.startedAt).toLocaleTimeString(),
          state.revision,
          tools.length,
        ),
        l10n.t('Says that it is: {0} {1}', state.serverInfo.name, state.serverInfo.version),
        ...(state.pid === undefined ? [] : [l10n.t('Process: {0}', String(state.pid))]),
      ];
    default:
      return assertNever(state);
  }
}

function problemTooltip(row: ProblemRow, model: TreeModel): MarkdownString {
  const { sentence, action, outside } = problemWords(row, model.server(row));
  return markdown([
    text(sentence),
    ...(outside === undefined ? [] : [text(outside)]),
    ...(action === undefined ? [] : [line(l10n.t('Press Enter: {0}', action.title))]),
  ]);
}
