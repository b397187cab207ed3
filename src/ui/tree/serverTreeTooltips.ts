import * as l10n from '@vscode/l10n';
import { env, MarkdownString } from 'vscode';
import { assertNever } from '../../core/errors';
import { toolProblems } from '../../core/toolProblems';
import { parameterCount, parametersOf } from '../../core/arguments/parameters';
import type { Icon, Tool } from '../../core/types';
import type { Server, ServerState, ToolEntry } from '../../host/connections/snapshot';
import { signInTooltipLines } from '../authorization/formatSignInRow';
import { changeSentence } from '../consent/toolChanges/formatToolChange';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import { formatProcess, formatRestarted } from '../format/formatProcess';
import { resourceTooltip, type TooltipText } from './resourceTooltip';
import { iconLines } from './serverIcons';
import { plainMarkdown } from './plainMarkdown';
import { formatProblem } from './formatProblem';
import { machineSentence } from '../format/formatMachine';
import { formatDate } from '../format/formatTime';
import { hintLines, riskSentence } from '../format/formatRisk';
import { formatSource, toolProblemSentence } from '../format/sentencesOfProblems';
import { toolTitle } from '../format/toolTitle';
import type { TreeModel } from './treeModel';
import type { ProblemRow, Row, ServerRow, ToolRow } from './treeRows';

const maxDescriptionChars = 2_000;
const maxLineChars = 300;
const maxProblems = 10;
const maxParameters = 12;

/**
 * What stands in the tooltip of a row. Text of servers is in it as text only. The usage of a server's
 * process is read when the user looks at its row.
 */
export function toTooltip(
  row: Row,
  model: TreeModel,
  usage?: ProcessUsage,
): MarkdownString | undefined {
  switch (row.kind) {
    case 'server':
      return serverTooltip(row, model, usage);
    case 'tool':
      return toolTooltip(row, model);
    case 'problem':
      return problemTooltip(row, model);
    case 'gone':
      return markdown([bold(row.toolName), line(changeSentence('gone'))]);
    case 'resource':
    case 'template':
    case 'resourceNote':
      return linesTooltip(
        resourceTooltip(row, model.resourceLook),
        iconLines(rowIcons(row, model)),
      );
    case 'resources':
    case 'resourceGroup':
    case 'origin':
    case 'group':
    case 'noMatch':
    case 'toStart':
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

/** The icons that the server gives to what a row stands for. */
function rowIcons(row: Row, model: TreeModel): readonly Icon[] | undefined {
  switch (row.kind) {
    case 'server': {
      const state = model.server(row)?.state;
      return state?.kind === 'running' ? state.serverInfo.icons : undefined;
    }
    case 'tool':
      return model.entry(row)?.tool.icons;
    case 'resource':
      return model.resources.resource(row)?.icons;
    case 'template':
      return model.resources.template(row)?.icons;
    case 'resources':
    case 'resourceGroup':
    case 'resourceNote':
    case 'origin':
    case 'group':
    case 'problem':
    case 'gone':
    case 'noMatch':
    case 'toStart':
      return undefined;
    default:
      return assertNever(row);
  }
}

function linesTooltip(
  { title, text: told, lines }: TooltipText,
  icon: readonly string[],
): MarkdownString {
  return markdown([
    ...(title === '' ? [] : [bold(title)]),
    ...(told === '' ? [] : [text(told)]),
    ...lines.map(line),
    ...icon,
  ]);
}

function toolTooltip(row: ToolRow, model: TreeModel): MarkdownString | undefined {
  const entry = model.entry(row);
  if (entry === undefined) return undefined;
  const { tool, risk } = entry;
  const title = toolTitle(tool);
  const mark = model.mark(row);
  const listedAt = model.listedAt(row);
  const problems = toolProblems(tool)
    // Said among the hints, beside what counts in their place.
    .filter(({ code }) => !tool.callable || code !== 'annotationIgnored')
    .slice(0, maxProblems)
    .map(toolProblemSentence);
  return markdown([
    ...(title === '' ? [] : [bold(title)]),
    line(l10n.t('Name: {0}', tool.name)),
    ...(entry.isDisabled === true
      ? [line(l10n.t('You have disabled it in this workspace. “Enable Tool” takes that back.'))]
      : []),
    ...(listedAt === undefined ? [] : [line(lastKnownSentence(listedAt))]),
    ...(mark === undefined ? [] : [line(changeSentence(mark))]),
    text(tool.description ?? l10n.t('The server gives no description.')),
    ...taskLines(entry).map(line),
    ...parameterParagraphs(tool),
    ...(tool.callable ? [line(riskSentence(risk))] : []),
    ...(tool.callable
      ? [list(hintLines(risk).map(({ hint, words }) => l10n.t('{0}: {1}', hint, words)))]
      : []),
    ...(risk.basis === 'overridden'
      ? [line(l10n.t('You have set this risk. “Set Risk…” takes it back.'))]
      : []),
    ...(problems.length === 0 ? [] : [bold(l10n.t('Problems')), list(problems)]),
    ...iconLines(rowIcons(row, model)),
  ]);
}

function taskLines({ tool, taskChoice }: ToolEntry): readonly string[] {
  if (taskChoice === 'task') return [l10n.t('Runs as a task, because you chose it.')];
  if (tool.taskSupport === undefined) return [];
  return [
    tool.taskSupport === 'required' ? l10n.t('Runs as a task.') : l10n.t('Can run as a task.'),
  ];
}

/** The required ones first; of those that may be left out, too, as many as a tooltip holds. */
function parameterParagraphs({ inputSchema }: Tool): string[] {
  const parameters = parametersOf(inputSchema).slice(0, maxParameters);
  if (parameters.length === 0) return [];
  const lines = parameters.map(({ name, type, isRequired }) =>
    isRequired ? l10n.t('{0}: {1}, required', name, type) : l10n.t('{0}: {1}', name, type),
  );
  const left = parameterCount(inputSchema) - parameters.length;
  const more = left > 0 ? [l10n.t('{0} more are in the schema.', left)] : [];
  return [bold(l10n.t('Parameters')), list([...lines, ...more])];
}

function lastKnownSentence(listedAt: number): string {
  return l10n.t(
    'As its server listed it on {0}. Calling it starts the server first.',
    formatDate(listedAt),
  );
}

function serverTooltip(
  row: ServerRow,
  model: TreeModel,
  usage: ProcessUsage | undefined,
): MarkdownString | undefined {
  const server = model.server(row);
  if (server === undefined) return undefined;
  const { config } = server;
  return markdown([
    bold(config.label),
    line(l10n.t('Configured in: {0}', formatSource(config.source))),
    ...shadowedLines(server).map(line),
    line(formatServerReach(server)),
    ...(config.reach.kind === 'stdio' ? [line(machineSentence(env.remoteName))] : []),
    ...stateLines(server, usage).map(line),
    ...(server.isRecorded === true ? [line(recordedSentence())] : []),
    ...(server.isDisabled === true ? [] : signInTooltipLines(server.signIn)).map(line),
    ...iconLines(rowIcons(row, model)),
  ]);
}

/** Where else there is a server of this name, which does not count. */
function shadowedLines({ configProblems }: Server): string[] {
  return configProblems
    .filter(({ code }) => code === 'shadowed')
    .map(({ source }) =>
      l10n.t('Also configured in: {0}. That one is ignored.', formatSource(source)),
    );
}

/** Program or address only: arguments, environment and headers may hold secrets. */
function formatServerReach({ config: { reach } }: Server): string {
  if (reach.kind === 'stdio' && reach.recording !== undefined) {
    return l10n.t('Answers from a recording, without the server itself.');
  }
  if (reach.kind === 'stdio') return l10n.t('Program: {0}', reach.command);
  return l10n.t('Address: {0}', URL.canParse(reach.url) ? new URL(reach.url).host : '?');
}

function recordedSentence(): string {
  return l10n.t(
    'All that is exchanged with it is written into a file. “Stop Recording” ends that.',
  );
}

function startLine({ isHeld, isInstalling }: Extract<ServerState, { kind: 'starting' }>): string {
  if (isHeld === true) {
    return l10n.t('Starts when you have answered and it has stopped.');
  }
  return isInstalling === true
    ? l10n.t(
        'Installing packages. The time limit of the start waits, up to 10 minutes. “Stop Server” cancels.',
      )
    : l10n.t('Starting…');
}

function stateLines(
  { state, tools, restarts, isDisabled }: Server,
  usage?: ProcessUsage,
): string[] {
  if (isDisabled === true) {
    return [l10n.t('You have disabled it in this workspace. “Enable Server” takes that back.')];
  }
  switch (state.kind) {
    case 'stopped':
      return [l10n.t('Stopped. Start it to see its tools.')];
    case 'starting':
      return [startLine(state)];
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
        ...(state.pid === undefined ? [] : [formatProcess(state.pid, usage)]),
        ...[restarts && formatRestarted(restarts)].filter((words) => words !== undefined),
      ];
    default:
      return assertNever(state);
  }
}

function problemTooltip(row: ProblemRow, model: TreeModel): MarkdownString {
  const { sentence, action, outside } = formatProblem(row, model.server(row));
  return markdown([
    text(sentence),
    ...(outside === undefined ? [] : [text(outside)]),
    ...(action === undefined ? [] : [line(l10n.t('Press Enter: {0}', action.title))]),
  ]);
}
