import * as l10n from '@vscode/l10n';
import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import { riskLevels } from '../../core/risk';
import { visibleText } from '../../core/visibleText';
import type { Memento } from '../../host/storage/memento';
import { formatLevel } from '../format/formatRisk';
import {
  isFiltering,
  isSameFilter,
  noFilter,
  parseToolFilter,
  type ToolFilter,
  toStoredFilter,
} from '../picking/toolFilter';

const storageKey = 'toolFilter';

/** The current filter of the tree. It is stored for the workspace. */
export class ToolFilterState implements Disposable {
  readonly #storage: Memento;
  #current: ToolFilter;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when `current` changes. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(storage: Memento) {
    this.#storage = storage;
    this.#current = parseToolFilter(storage.get(storageKey));
  }

  get current(): ToolFilter {
    return this.#current;
  }

  get isFiltering(): boolean {
    return isFiltering(this.#current);
  }

  /** Shows the filter without storing it, while the user is typing. */
  preview(filter: ToolFilter): void {
    if (isSameFilter(filter, this.#current)) return;
    this.#current = filter;
    this.#onDidChange.fire();
  }

  /** Shows the filter and stores it. */
  async set(filter: ToolFilter): Promise<void> {
    this.preview(filter);
    await this.#storage.update(
      storageKey,
      isFiltering(filter) ? toStoredFilter(filter) : undefined,
    );
  }

  async clear(): Promise<void> {
    await this.set(noFilter);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}

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
