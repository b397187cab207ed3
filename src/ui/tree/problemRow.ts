import * as l10n from '@vscode/l10n';
import { type Command, type MarkdownString, ThemeColor, ThemeIcon, TreeItem } from 'vscode';
import { assertNever } from '../../core/errors';
import type { Server } from '../../host/connections/snapshot';
import { commands, contextValues } from '../../ids';
import { errorAction } from '../format/errorActions';
import { formatNotice, restartSentence } from '../format/formatProcess';
import { formatError, quoted, saidOnStderr } from '../format/sentences';
import {
  configProblemSentence,
  configProblemTitle,
  garbageSentence,
  listProblemSentence,
  formatProblemPlace,
} from '../format/sentencesOfProblems';
import type { TreeModel } from './treeModel';
import type { ProblemRow } from './treeRows';
import { type RowKind, foreignLine, foreignText, markdownTooltip } from './rowKind';
export const problemRow: RowKind<'problem'> = {
  item: problemItem,
  tooltip: problemTooltip,
  command: (row, model) => {
    const { action } = formatProblem(row, model.server(row));
    return action && { ...action, arguments: action.arguments ?? [row] };
  },
};

/** The texts of a problem row, and the command that Enter runs. */
interface ProblemTexts {
  readonly title: string;
  /** The most important fact, shown beside the title. */
  readonly brief: string;
  readonly sentence: string;
  readonly isFatal: boolean;
  /** Has no `arguments` if the command takes the row. */
  readonly action: Command | undefined;
  /** Untrusted text of several lines for the tooltip. */
  readonly outside?: string;
}

export function formatProblem({ problem, serverId }: ProblemRow, server?: Server): ProblemTexts {
  const label = server?.config.label ?? serverId ?? '';
  const showLog = { title: l10n.t('Show Log'), command: commands.showServerLog };
  switch (problem.kind) {
    case 'failed': {
      const { error } = problem;
      const action = errorAction(error, server?.config);
      const { stderrTail } = error.facts;
      const message = formatError(label, error);
      const again = server?.restarts && restartSentence(server.restarts);
      return {
        title: message.title,
        sentence: again === undefined ? message.sentence : `${message.sentence} ${again}`,
        brief: saidOnStderr(error.facts) || (action?.title ?? ''),
        isFatal: true,
        action,
        ...(stderrTail === undefined ? {} : { outside: stderrTail }),
      };
    }
    case 'config':
      return {
        title: configProblemTitle(problem.problem),
        brief:
          (problem.problem.line === undefined && quoted(problem.problem.detail)) ||
          formatProblemPlace(problem.problem),
        sentence: configProblemSentence(problem.problem),
        isFatal: problem.problem.fatal,
        action: { title: l10n.t('Open Configuration'), command: commands.openServerConfiguration },
      };
    case 'list':
      return {
        title: l10n.t('Tools may be missing'),
        brief: l10n.t('Show Log'),
        sentence: listProblemSentence(label, problem.problem),
        isFatal: false,
        action: showLog,
      };
    case 'garbage':
      return {
        title: l10n.t('Not MCP on stdout'),
        brief: problem.lines === 1 ? l10n.t('1 line') : l10n.t('{0} lines', problem.lines),
        sentence: garbageSentence(label, problem.lines),
        isFatal: false,
        action: showLog,
      };
    case 'notice':
      return {
        ...formatNotice(label, problem.notice),
        brief: showLog.title,
        isFatal: false,
        action: showLog,
      };
    default:
      return assertNever(problem);
  }
}

function problemItem(row: ProblemRow, model: TreeModel): TreeItem {
  const { title, brief, sentence, isFatal } = formatProblem(row, model.server(row));
  const item = new TreeItem(title);
  item.description = brief;
  item.iconPath = isFatal
    ? new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'))
    : new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground'));
  item.contextValue = contextValues.problem;
  item.accessibilityInformation = { label: l10n.t('Problem: {0}', sentence) };
  return item;
}

function problemTooltip(row: ProblemRow, model: TreeModel): MarkdownString {
  const { sentence, action, outside } = formatProblem(row, model.server(row));
  return markdownTooltip([
    foreignText(sentence),
    ...(outside === undefined ? [] : [foreignText(outside)]),
    ...(action === undefined ? [] : [foreignLine(l10n.t('Press Enter: {0}', action.title))]),
  ]);
}
