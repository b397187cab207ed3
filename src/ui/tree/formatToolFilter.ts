import * as l10n from '@vscode/l10n';
import { riskLevels } from '../../core/risk';
import { visibleText } from '../../core/visibleText';
import { formatLevel } from '../format/formatRisk';
import type { ToolFilter } from '../picking/toolFilter';

const maxTextChars = 60;

/** Describes the filter in one short line, for example `read-only, closed world, “file”`. */
export function formatToolFilter(filter: ToolFilter): string {
  const text = visibleText(filter.text.trim(), maxTextChars);
  return [
    ...riskLevels.filter((level) => filter.levels.has(level)).map(formatLevel),
    ...(filter.closedWorldOnly ? [formatClosedWorld()] : []),
    ...(text === '' ? [] : [l10n.t('“{0}”', text)]),
  ].join(', ');
}

/** The name of a tool set comes from the settings, so it is shortened and made visible. */
export function formatSetName(name: string): string {
  return visibleText(name, maxTextChars);
}

export function formatClosedWorld(): string {
  return l10n.t('closed world');
}

/** Returns `12 tools`, or `3 of 12 tools` while a filter hides some of them. */
export function formatToolCount(shown: number, all: number): string {
  if (shown !== all) return l10n.t('{0} of {1} tools', shown, all);
  return all === 1 ? l10n.t('1 tool') : l10n.t('{0} tools', all);
}
