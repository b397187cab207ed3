import * as l10n from '@vscode/l10n';
import { riskLevels } from '../../core/risk';
import { visibleText } from '../../core/visibleText';
import { formatLevel } from '../format/formatRisk';
import type { ToolFilter } from '../picking/toolFilter';

const maxTextChars = 60;

/** `read-only, closed world, “file”`: what the filter lets through, for one short line. */
export function formatToolFilter(filter: ToolFilter): string {
  const text = visibleText(filter.text.trim(), maxTextChars);
  return [
    ...riskLevels.filter((level) => filter.levels.has(level)).map(formatLevel),
    ...(filter.closedWorldOnly ? [formatClosedWorld()] : []),
    ...(text === '' ? [] : [l10n.t('“{0}”', text)]),
  ].join(', ');
}

/** The name of a tool set is text of the settings. */
export function formatSetName(name: string): string {
  return visibleText(name, maxTextChars);
}

export function formatClosedWorld(): string {
  return l10n.t('closed world');
}

/** `12 tools`, or `3 of 12 tools` while a filter leaves some out. */
export function formatToolCount(shown: number, all: number): string {
  if (shown !== all) return l10n.t('{0} of {1} tools', shown, all);
  return all === 1 ? l10n.t('1 tool') : l10n.t('{0} tools', all);
}
