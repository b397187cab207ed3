import * as l10n from '@vscode/l10n';
import type { FileCall } from '../../core/callFiles/callFile';
import type { ServerRegistry } from '../../host/connections/registry';
import type { RunReports } from '../callFiles/runReports';
import { tell } from '../editor/messages';
import { formatColumns } from '../format/formatColumns';
import { quoted } from '../format/sentences';

interface Exercise {
  passed: number;
  failed: number;
}

export interface ExercisedToolsOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly reports: Pick<RunReports, 'open'>;
}

const maxNameCells = 60;

/** Records which tools the tests of this window have called. */
export class ExercisedTools {
  readonly #options: ExercisedToolsOptions;
  /** By server and tool. */
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
      tell('information', sentence, {
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
