import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { calledName, type FileCall } from '../../core/callFiles/callFile';
import { assertNever } from '../../core/errors';
import type { TestResult } from '../../core/testing/runTests';
import { stateAfter, type CallFileRuns, type RunState } from '../callFiles/callFileRuns';
import { formatDuration } from '../format/formatTime';
import { quoted } from '../format/sentences';
import type { LastResults } from './acceptAnswers';
import { writtenCall, type ReadyFile } from './readyFiles';
import { failureMessage, testPosition, plainTestMessage } from './testItems';
import type { ServerRegistry } from '../../host/connections/registry';
import type { RunReports } from '../callFiles/runReports';
import { notify } from '../editor/messages';
import { formatColumns } from '../format/formatColumns';

export interface TestReporterOptions {
  readonly runs: CallFileRuns;
  readonly exercised: Pick<ExercisedTools, 'add'>;
  readonly last: Pick<LastResults, 'set'>;
}

/** If one call has several runs, the worst decides the result of its test. */
const ranks = { passed: 0, skipped: 1, errored: 2, failed: 2 } as const;

/**
 * Reports the result of each call of a run, in the Test Explorer and above the call in its file.
 */
export class TestReporter {
  readonly #run: vscode.TestRun;
  readonly #options: TestReporterOptions;
  readonly #worst = new Map<vscode.TestItem, { readonly rank: number; readonly state: RunState }>();

  constructor(run: vscode.TestRun, options: TestReporterOptions) {
    this.#run = run;
    this.#options = options;
  }

  start(item: vscode.TestItem): void {
    if (!this.#worst.has(item)) this.#run.started(item);
  }

  async notify(ready: ReadyFile, result: TestResult): Promise<void> {
    const { document, values } = ready;
    const { call } = result;
    const { runs, exercised, last } = this.#options;
    const item = ready.items.get(call.name);
    const why = messageOf(result);
    const line = `${signs[result.status]} ${lineOf(result, why)}`;
    if (result.result !== undefined) exercised.add(call, result.status === 'passed');
    const place = result.status === 'skipped' ? testPosition(document, call) : undefined;
    this.#run.appendOutput(`${ofEnvironment(values.environment, line)}\r\n`, place, item);
    const known = item === undefined ? undefined : this.#worst.get(item);
    const rank = ranks[result.status];
    const isBetter = known !== undefined && rank < known.rank;
    const state = isBetter ? known.state : stateAfter(result, why);
    runs.setState(document.uri, writtenCall(ready.file, call), state);
    if (item === undefined || isBetter) return;
    this.#worst.set(item, { rank, state });
    this.#setStatus(item, ready, result, why);
    await last.set(item, result);
  }

  #setStatus(
    item: vscode.TestItem,
    { document, values: { environment } }: ReadyFile,
    { call, durationMs, failures, status }: TestResult,
    why: string,
  ): void {
    const run = this.#run;
    switch (status) {
      case 'passed':
        return run.passed(item, durationMs);
      case 'failed': {
        const messages = failures.map((failure) => failureMessage(document, call, failure));
        for (const message of messages) {
          if (typeof message.message === 'string') {
            message.message = ofEnvironment(environment, message.message);
          }
        }
        return run.failed(item, messages, durationMs);
      }
      case 'errored': {
        const message = plainTestMessage(
          testPosition(document, call),
          ofEnvironment(environment, why),
        );
        return run.errored(item, message, durationMs);
      }
      case 'skipped':
        return run.skipped(item);
      default:
        return assertNever(status);
    }
  }
}

/** Adds the name of the environment if a run has several. */
function ofEnvironment(name: string | undefined, text: string): string {
  return name === undefined ? text : `[${quoted(name)}] ${text}`;
}

const signs = { passed: '✓', failed: '✗', errored: '✗', skipped: '⊘' } as const;

function messageOf({ message, needs, unprepared }: TestResult): string {
  if (unprepared !== undefined) {
    return l10n.t('Not called: its setup call “{0}” did not pass.', quoted(unprepared));
  }
  if (needs === undefined) return message ?? '';
  return l10n.t(
    'Not called: it uses values from the result of “{0}”, which has none.',
    quoted(needs),
  );
}

function lineOf({ call, status, durationMs }: TestResult, message: string): string {
  const name = quoted(calledName(call));
  const tool = `${quoted(call.server)}/${quoted(call.target.name)}`;
  const hasCome = status === 'passed' || status === 'failed';
  return hasCome
    ? `${name} (${tool}) ${formatDuration(durationMs)}`
    : `${name} (${tool}): ${message}`;
}

interface Exercise {
  passed: number;
  failed: number;
}

interface ExercisedToolsOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly reports: Pick<RunReports, 'open'>;
}

const maxNameCells = 60;

/** Records which tools the tests of this window have called. */
export class ExercisedTools {
  readonly #options: ExercisedToolsOptions;
  /** Keyed by server, then by tool. */
  readonly #servers = new Map<string, Map<string, Exercise>>();

  constructor(options: ExercisedToolsOptions) {
    this.#options = options;
  }

  /** Resources and prompts are not tools. */
  add({ server, target }: Pick<FileCall, 'server' | 'target'>, hasPassed: boolean): void {
    if (target.kind !== 'tool') return;
    const { name: tool } = target;
    const tools = this.#servers.get(server) ?? new Map<string, Exercise>();
    this.#servers.set(server, tools);
    const exercise = tools.get(tool) ?? { passed: 0, failed: 0 };
    tools.set(tool, exercise);
    exercise[hasPassed ? 'passed' : 'failed'] += 1;
  }

  /** Opens a document with the coverage, or shows a message if there is none yet. */
  async show(): Promise<void> {
    if (this.#servers.size === 0) {
      const sentence = l10n.t('No tests have been run in this window yet.');
      notify('information', sentence, {
        title: l10n.t('Show Tests'),
        command: 'workbench.view.testing.focus',
      });
      return;
    }
    const lines = [...this.#servers].flatMap(([id, tools]) => this.#linesOf(id, tools));
    const heading = l10n.t('Tools called by tests in this window');
    await this.#options.reports.open(l10n.t('Exercised Tools'), {
      text: [heading, '', ...lines].join('\n'),
      places: [],
    });
  }

  #linesOf(id: string, tools: ReadonlyMap<string, Exercise>): readonly string[] {
    const server = this.#options.registry.find(id);
    const listed = (server?.tools ?? []).map(({ tool }) => tool.name);
    const names = [...new Set([...listed, ...tools.keys()])];
    const exercised = names.filter((name) => tools.has(name)).length;
    const { heading, lines } = formatColumns(
      [
        { heading: l10n.t('Tool'), maxCells: maxNameCells },
        { heading: l10n.t('Passed'), maxCells: 10, align: 'right' },
        { heading: l10n.t('Failed'), maxCells: 10, align: 'right' },
      ],
      names.map((name) => {
        const { passed, failed } = tools.get(name) ?? { passed: 0, failed: 0 };
        const sign = failed > 0 ? '✗' : passed > 0 ? '✓' : '-';
        return { cells: [`${sign} ${quoted(name)}`, String(passed), String(failed)] };
      }),
    );
    const label = quoted(server?.config.label ?? id);
    const above = l10n.t('{0}: {1} of {2} tools', label, exercised, names.length);
    return [above, '', heading, ...lines, ''];
  }
}
