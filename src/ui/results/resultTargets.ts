import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { FilePart } from '../../core/content/contentParts';
import { isTableName } from '../../core/content/documentNames';
import { escapeIcons } from '../../core/visibleText';
import { isSpooled } from '../../host/results/resultSpool';
import type { StoredFile } from '../../host/results/resultStore';
import { olderFirst } from '../../host/storage/recordFile';
import { notify } from '../editor/messages';
import type { FilteredResults } from './filteredResults';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { activeUri } from '../editor/resultTabs';
import { formatFile } from '../format/formatFile';
import { labelText } from '../format/labelText';
import { formatTime } from '../format/formatTime';

/** One file of a stored result. */
export interface ResultTarget {
  readonly kept: StoredResult;
  readonly file: StoredFile;
  readonly uri: vscode.Uri;
  /** Absent if the file is the overview, or what a filter selects. */
  readonly part?: FilePart;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target?: ResultTarget;
}

/** Finds the file of a result that a command applies to. */
export class ResultTargets {
  readonly #documents: ResultDocuments;
  readonly #filtered: FilteredResults;

  constructor(documents: ResultDocuments, filtered: FilteredResults) {
    this.#documents = documents;
    this.#filtered = filtered;
  }

  /**
   * Returns the file that a command was invoked on, or else the active one. Any extension can run a
   * command with any argument, so only kept results are found.
   */
  find(pressedOn: unknown): ResultTarget | undefined {
    const uri = pressedOn instanceof vscode.Uri ? pressedOn : activeUri();
    return uri && this.at(uri);
  }

  /**
   * The file at `uri`, or what a filter selects of it. The beginning of a text and a table resolve to their part, a folder to its
   * overview.
   */
  at(uri: vscode.Uri): ResultTarget | undefined {
    const filtered = this.#filtered.find(uri);
    if (filtered !== undefined) {
      return { kept: filtered.kept, file: this.#filtered.fileOf(filtered), uri };
    }
    const kept = this.#documents.find(uri);
    const name = posix.basename(uri.path);
    return kept && this.#filesOf(kept).find((target) => hasName(target, name, kept));
  }

  /**
   * Asks for a file. Returns `undefined` if the user cancels, or, after a message, if there is
   * none.
   */
  async pick(placeHolder: string): Promise<ResultTarget | undefined> {
    return (await this.#pick(placeHolder, undefined, []))?.target;
  }

  /**
   * Like {@link pick}, for all but one file. `other` is the last choice, and may be the only one.
   */
  async pickOther<Other extends vscode.QuickPickItem>(
    placeHolder: string,
    except: ResultTarget,
    other: Other | undefined,
  ): Promise<ResultTarget | Other | undefined> {
    const separator = { label: '', kind: vscode.QuickPickItemKind.Separator };
    const more = other === undefined ? [] : [separator, other];
    const picked = await this.#pick(placeHolder, except, more);
    return picked === other ? other : picked?.target;
  }

  /** Puts the file of the older result first. Two files of one result keep their order. */
  olderFirst(one: ResultTarget, other: ResultTarget): readonly [ResultTarget, ResultTarget] {
    const results = [...this.#documents.results];
    const [older] = olderFirst(results, ({ entry }) => entry.createdAt, one.kept, other.kept);
    return older === one.kept ? [one, other] : [other, one];
  }

  async #pick(
    placeHolder: string,
    except: ResultTarget | undefined,
    more: readonly TargetItem[],
  ): Promise<TargetItem | undefined> {
    const results = [...this.#documents.results].toReversed();
    const items = [...results.flatMap((kept) => this.#itemsOf(kept, except)), ...more];
    if (items.every(({ kind }) => kind === vscode.QuickPickItemKind.Separator)) {
      notify(
        'information',
        except === undefined
          ? l10n.t('No result is available. Call a tool first.')
          : l10n.t('There is no other result to compare with. Call the tool again.'),
      );
      return undefined;
    }
    return vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  }

  #itemsOf(kept: StoredResult, except: ResultTarget | undefined): TargetItem[] {
    const targets = this.#filesOf(kept).filter(
      ({ uri }) => uri.toString() !== except?.uri.toString(),
    );
    const title = l10n.t('{0}, {1}', resultTitle(kept), formatTime(kept.entry.createdAt));
    return targets.length === 0
      ? []
      : [
          { label: title, kind: vscode.QuickPickItemKind.Separator },
          ...targets.map((target) => ({
            label: escapeIcons(target.file.name),
            description: escapeIcons(
              target.part === undefined ? l10n.t('overview') : formatFile(target.part),
            ),
            // Separators disappear while the user types a filter.
            detail: title,
            target,
          })),
        ];
  }

  /** Files in the order of the answer, with the overview last. */
  #filesOf(kept: StoredResult): ResultTarget[] {
    const { overviewUri, entry } = kept;
    const parts = kept.parts.flatMap((part): ResultTarget[] =>
      part.kind === 'link'
        ? []
        : [{ kept, file: part, part, uri: this.#documents.partUri(kept, part) }],
    );
    const overview = entry.files.find(({ name }) => overviewUri.path.endsWith(`/${name}`));
    return overview === undefined ? parts : [...parts, { kept, file: overview, uri: overviewUri }];
  }
}

function hasName({ file, part }: ResultTarget, name: string, kept: StoredResult) {
  if ((part?.documentName ?? file.name) === name) return true;
  if (part === undefined) return kept.entry.path.endsWith(`/${name}`);
  if (part.isMain === true && isTableName(name)) return kept.tableUri !== undefined;
  return isSpooled(part) && part.beginning?.name === name;
}

/** Title of the tool or resource, as plain text for lists and titles. */
export function resultTitle({ facts: { origin } }: StoredResult): string {
  const title = origin.kind === 'call' ? origin.toolTitle : origin.uri;
  return labelText(title);
}
