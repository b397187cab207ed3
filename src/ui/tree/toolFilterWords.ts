import { l10n } from 'vscode';
import { riskLevels } from '../../core/risk';
import { visibleText } from '../../core/visibleText';
import { levelWords } from '../words/riskWords';
import type { ToolFilter } from '../picking/toolFilter';

const maxTextChars = 60;

/** `read-only, closed world, “file”`: what the filter lets through, for one short line. */
export function toolFilterWords(filter: ToolFilter): string {
  const text = visibleText(filter.text.trim(), maxTextChars);
  return [
    ...riskLevels.filter((level) => filter.levels.has(level)).map(levelWords),
    ...(filter.closedWorldOnly ? [closedWorldWords()] : []),
    ...(text === '' ? [] : [l10n.t('“{0}”', text)]),
  ].join(', ');
}

export function closedWorldWords(): string {
  return l10n.t('closed world');
}
