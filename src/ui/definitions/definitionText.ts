import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { type Parameter, parameterCount, parametersOf } from '../../core/arguments/parameters';
import { toolProblems } from '../../core/toolProblems';
import { visibleText } from '../../core/visibleText';
import type { Tool } from '../../core/types';
import type { ToolEntry } from '../../host/connections/snapshot';
import type { PinState } from '../../host/consent/facts/callFacts';
import type { PastCall } from '../../host/history/pastCall';
import { changeSentence } from '../format/formatToolChange';
import { formatColumns } from '../format/formatColumns';
import { hintLines, riskSentence } from '../format/formatRisk';
import { toolProblemSentence } from '../format/sentencesOfProblems';
import { formatDate, formatDuration } from '../format/formatTime';
import { toolTitle, appLines } from '../format/toolTitle';
import { formatCallOutcome } from '../activity/formatCall';
import { fromHistory } from '../activity/shownCall';
import { briefArguments } from '../format/formatArguments';

export interface DefinitionFacts {
  readonly entry: ToolEntry;
  /** Label of its server. */
  readonly serverLabel: string;
  readonly pin: PinState;
  /** Calls of this tool, the newest first. */
  readonly calls: readonly PastCall[];
  /** When a stopped server listed it, in milliseconds since the epoch. */
  readonly listedAt?: number;
}

const maxLineChars = 300;
const maxCellChars = 40;
const maxTypeCells = 22;
const maxDefaultCells = 14;
const maxTextChars = 100_000;
/** Average size of a token of English or JSON; a rough estimate. */
const bytesPerToken = 4;

/** Returns everything that is known about a tool before a call, as plain text. */
export function toolDefinitionText(facts: DefinitionFacts): string {
  const { entry, serverLabel, listedAt } = facts;
  const { tool, risk } = entry;
  const name = line(tool.name);
  return [
    [
      toolTitle(tool) || l10n.t('(no name)'),
      l10n.t('Tool “{0}” of server “{1}”', name, line(serverLabel)),
      ...(listedAt === undefined ? [] : [notRunning(listedAt)]),
      ...taskLines(tool),
      ...appLines(tool.app).map(line),
    ],
    [
      l10n.t('Description'),
      text(tool.description ?? l10n.t('The server provides no description.')),
    ],
    [l10n.t('Parameters'), ...parameterLines(tool)],
    [
      l10n.t('Risk'),
      line(riskSentence(risk)),
      ...hintLines(risk).map((each) => `- ${line(l10n.t('{0}: {1}', each.hint, each.text))}`),
    ],
    ...problemSections(tool),
    [l10n.t('Accepted'), pinSentence(facts.pin)],
    [l10n.t('Calls'), ...callLines(facts.calls)],
    [l10n.t('Size'), sizeSentence(tool)],
    [l10n.t('Input schema'), text(schemaText(tool.inputSchema))],
    [l10n.t('Output schema'), text(schemaText(tool.outputSchema))],
  ]
    .map(([heading = '', ...lines], index) =>
      [heading, (index === 0 ? '=' : '-').repeat(Math.min(heading.length, 60)), ...lines].join(
        '\n',
      ),
    )
    .join('\n\n')
    .concat('\n');
}

const line = (foreign: string): string => visibleText(foreign, maxLineChars);

export function taskLines({ taskSupport }: Tool): readonly string[] {
  switch (taskSupport) {
    case 'required':
      return [l10n.t('Runs as a task, so a call may take long.')];
    case 'optional':
      return [l10n.t('Can run as a task.')];
    case undefined:
      return [];
    default:
      return assertNever(taskSupport);
  }
}

/** A carriage return is shown like other invisible characters. */
function text(foreign: string): string {
  return visibleText(foreign, maxTextChars, { newlines: 'keep' });
}

export function goneSentence(): string {
  return l10n.t('This tool is not listed now. Start its server, or refresh its tools.');
}

export function notRunning(listedAt: number): string {
  return l10n.t(
    'Listed by its server on {0}. Calling it starts the server first.',
    formatDate(listedAt),
  );
}

/**
 * Returns aligned columns with each description below its line: beside it, it would wrap in a
 * narrow editor and break the columns. Long types and defaults are cut; the schema has them in
 * full.
 */
function parameterLines(tool: Tool): readonly string[] {
  const parameters = parametersOf(tool.inputSchema);
  if (parameters.length === 0) return [l10n.t('The schema has no parameters.')];
  const columns = [
    { heading: l10n.t('Name'), maxCells: maxCellChars },
    { heading: l10n.t('Type'), maxCells: maxTypeCells },
    { heading: l10n.t('Required'), maxCells: maxTypeCells },
    { heading: l10n.t('Default'), maxCells: maxDefaultCells },
  ];
  const table = formatColumns(
    columns,
    parameters.map((parameter) => ({ cells: cellsOf(parameter) })),
  );
  const left = parameterCount(tool.inputSchema) - parameters.length;
  return [
    table.heading,
    ...table.lines.flatMap((row, index) => [row, ...descriptionLines(parameters[index])]),
    ...(left > 0 ? [l10n.t('More parameters in the schema: {0}.', left)] : []),
  ];
}

function descriptionLines(parameter: Parameter | undefined): readonly string[] {
  return [parameter?.description, parameter?.limits]
    .map((part) => line(part ?? ''))
    .flatMap((part) => (part === '' ? [] : [`    ${part}`]));
}

function cellsOf({ name, type, isRequired, default: standard }: Parameter): string[] {
  return [
    visibleText(name, maxCellChars),
    visibleText(type, maxCellChars * 2),
    isRequired ? l10n.t('yes') : '',
    standard === undefined ? '' : visibleText(standard, maxCellChars),
  ];
}

function problemSections(tool: Tool): readonly (readonly string[])[] {
  const problems = toolProblems(tool).slice(0, 20);
  if (problems.length === 0) return [];
  return [[l10n.t('Problems'), ...problems.map((each) => `- ${line(toolProblemSentence(each))}`)]];
}

export function pinSentence(pin: PinState): string {
  switch (pin.kind) {
    case 'known':
      return l10n.t('Unchanged.');
    case 'new':
      return changeSentence('new');
    case 'changed': {
      const fields = pin.fields.join(', ');
      return [changeSentence('changed'), ...(fields === '' ? [] : [fields])].join(' ');
    }
    case 'unlocked':
      return l10n.t('Differs from {0}, so you are asked before a call.', line(pin.lockFile));
    default:
      return assertNever(pin);
  }
}

/** Estimates the size of the name, description and input schema that a model gets. */
export function sizeSentence({ name, description, inputSchema }: Tool): string {
  let bytes = 0;
  try {
    bytes = Buffer.byteLength(stringifyExactly({ name, description, inputSchema }));
  } catch {
    return l10n.t('The schema is nested too deeply to measure.');
  }
  return l10n.t(
    'About {0} tokens for a model: {1} bytes of name, description and input schema, {2} bytes per token.',
    Math.ceil(bytes / bytesPerToken),
    bytes,
    bytesPerToken,
  );
}

/** Returns the schema as indented JSON, with hidden characters as they are. */
export function schemaText(value: unknown): string {
  if (value === undefined) return l10n.t('(none)');
  try {
    return stringifyExactly(value, 2);
  } catch {
    return l10n.t('(nested too deeply to show)');
  }
}

/** Maximum number of calls that are listed. */
const maxCalls = 5;
const maxArgumentsChars = 160;

/** Describes how long the calls took and how they ended, and then lists the last ones. */
export function callLines(calls: readonly PastCall[]): readonly string[] {
  const sent = calls.filter(({ sentAt }) => sentAt !== undefined);
  if (sent.length === 0) return [l10n.t('No calls in the history of this workspace.')];
  const answered = sent.filter(({ outcome }) => outcome === 'result' || outcome === 'toolError');
  return [
    endsSentence(sent),
    ...(answered.length === 0 ? [] : [latencySentence(answered)]),
    ...sent.slice(0, maxCalls).map((call) => `- ${callLine(call)}`),
  ];
}

function endsSentence(calls: readonly PastCall[]): string {
  const ends = new Map<string, number>();
  for (const call of calls) {
    const outcome = formatCallOutcome(fromHistory(call));
    ends.set(outcome, (ends.get(outcome) ?? 0) + 1);
  }
  const list = [...ends].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return l10n.t('In the history of this workspace: {0}.', list);
}

function latencySentence(calls: readonly PastCall[]): string {
  const times = calls.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const within = (share: number): string =>
    formatDuration(times[Math.ceil(times.length * share) - 1] ?? 0);
  return l10n.t('Median {0}, 95th percentile {1}.', within(0.5), within(0.95));
}

function callLine(call: PastCall): string {
  const outcome = formatCallOutcome(fromHistory(call));
  const given = briefArguments(call.arguments, maxArgumentsChars);
  return [formatDate(call.endedAt), outcome, formatDuration(call.durationMs), given]
    .filter((part) => part !== '')
    .join(' · ');
}
