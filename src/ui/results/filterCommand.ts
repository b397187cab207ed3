import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import { documentExtension } from '../../core/content/documentNames';
import type { FilterAnswer, FilterProcess } from '../../core/stdio/filterProcess';
import type { Memento } from '../../host/storage/memento';
import { registerCodeLenses } from '../editor/codeLenses';
import { notify } from '../editor/messages';
import { openInTab } from '../editor/resultTabs';
import { formatFilterAnswer } from '../format/formatFilter';
import { quoted } from '../format/sentences';
import { labelText } from '../format/labelText';
import type { Filtered, FilteredResults } from './filteredResults';
import { jsonParts } from './partsOfCall';
import { lensesAt } from './overviewLenses';
import type { ResultTargets } from './resultTargets';
import type { StoredResult } from './resultDocuments';

export interface FilterCommandOptions {
  readonly filtered: FilteredResults;
  readonly targets: ResultTargets;
  /** Id of the command. */
  readonly command: string;
  readonly scheme: string;
  /** Opens a part as a document. */
  readonly openPart: (filtered: Filtered) => Promise<void>;
  /** Keeps the last filter of each tool. */
  readonly memory: Memento;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

const memoryKey = 'lastFilters';
const maxTools = 100;
const maxTitleChars = 60;

/** Filters the JSON of a result, and shows what is selected as a document. */
export class FilterCommand {
  readonly #options: FilterCommandOptions;

  constructor(options: FilterCommandOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const { command, scheme } = this.#options;
    const pattern = `**/*.${documentExtension('json')}`;
    return vscode.Disposable.from(
      vscode.commands.registerCommand(command, (pressedOn: unknown, isCleared: unknown) =>
        this.#run(pressedOn, isCleared === true),
      ),
      registerCodeLenses({ scheme, pattern }, this),
    );
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const { filtered, command } = this.#options;
    const shown = filtered.find(uri);
    if (shown === undefined) return [];
    const title = labelText(shown.expression, maxTitleChars);
    return lensesAt(0, [
      { title: l10n.t('$(filter) Filter: {0}', title), command, arguments: [uri] },
      { title: l10n.t('$(clear-all) Clear Filter'), command, arguments: [uri, true] },
    ]);
  }

  async #run(pressedOn: unknown, isCleared: boolean): Promise<void> {
    const { filtered, targets, openPart } = this.#options;
    const question = l10n.t('Choose the JSON to filter');
    const target = targets.find(pressedOn) ?? (await targets.pick(question));
    if (target === undefined) return;
    const { kept } = target;
    const shown = filtered.find(target.uri);
    const parts = jsonParts(kept.parts);
    const part = shown?.part ?? parts.find((each) => each === target.part) ?? parts[0];
    if (part === undefined) {
      notify('information', l10n.t('This result has no JSON that can be filtered.'));
      return;
    }
    const before = shown?.expression ?? this.#lastOf(kept);
    const asked = isCleared ? '' : await this.#ask({ kept, part, expression: before });
    if (asked === undefined) return;
    const chosen = { kept, part, expression: asked };
    this.#remember(chosen);
    if (asked === '') await openPart(chosen);
    else await openInTab(filtered.uriOf(chosen), part);
  }

  /** Resolves with the filter, `''` for none, and `undefined` if the user cancels. */
  async #ask({ kept, part, expression }: Filtered): Promise<string | undefined> {
    const { filtered } = this.#options;
    const clear = { iconPath: new vscode.ThemeIcon('clear-all'), tooltip: l10n.t('Clear Filter') };
    const box = Object.assign(vscode.window.createInputBox(), {
      title: l10n.t('Filter “{0}”', quoted(part.name)),
      value: expression,
      prompt: usage(),
      placeholder: 'items[?active].name',
      buttons: [clear],
      // The user may look up names in the document.
      ignoreFocusOut: true,
    });
    const process = filtered.start(part);
    const preview = new FilterPreview(box, process);
    try {
      return await new Promise<string | undefined>((resolve) => {
        box.onDidChangeValue(() => preview.update());
        box.onDidAccept(async () => {
          const value = box.value.trim();
          const bytes = value === '' ? undefined : await preview.select(value);
          if (bytes !== undefined) filtered.keep({ kept, part, expression: value }, bytes);
          if (value === '' || bytes !== undefined) resolve(value);
        });
        box.onDidTriggerButton(() => resolve(''));
        box.onDidHide(() => resolve(undefined));
        box.show();
        void preview.update();
      });
    } finally {
      box.dispose();
      process.dispose();
    }
  }

  #lastOf(kept: StoredResult): string {
    return this.#all().get(keyOf(kept)) ?? '';
  }

  /** A cleared filter stays the last one of its tool. One with a secret is not kept. */
  #remember({ kept, expression }: Filtered): void {
    const { memory, redact } = this.#options;
    if (expression === '' || redact(expression) !== expression) return;
    const all = this.#all();
    all.delete(keyOf(kept));
    all.set(keyOf(kept), expression);
    dropOldest(all, maxTools);
    void memory.update(memoryKey, [...all]);
  }

  /** The last filters by tool, oldest first. They may come from an earlier version. */
  #all(): Map<string, string> {
    const stored: unknown = this.#options.memory.get(memoryKey);
    const entries: unknown[] = Array.isArray(stored) ? stored.slice(-maxTools) : [];
    return new Map(entries.filter(isEntry));
  }
}

/** Shows what the typed filter selects, or why it does not. */
class FilterPreview {
  readonly #box: vscode.InputBox;
  readonly #process: FilterProcess;
  #isUpdating = false;

  constructor(box: vscode.InputBox, process: FilterProcess) {
    this.#box = box;
    this.#process = process;
  }

  /** Only the text of the moment is filtered, so that fast typing does not make a queue. */
  async update(): Promise<void> {
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    let expression: string | undefined;
    while (expression !== this.#box.value.trim()) {
      expression = this.#box.value.trim();
      if (expression !== '') await this.#filter(expression, false);
      else Object.assign(this.#box, { prompt: usage(), validationMessage: undefined });
    }
    this.#isUpdating = false;
  }

  /** Resolves with what the filter selects; `undefined` after showing why it selects nothing. */
  async select(expression: string): Promise<Uint8Array | undefined> {
    const answer = await this.#filter(expression, true);
    return answer?.kind === 'selected' ? answer.bytes : undefined;
  }

  async #filter(expression: string, isWhole: boolean): Promise<FilterAnswer | undefined> {
    this.#box.busy = true;
    try {
      const answer = await this.#process.filter(expression, isWhole);
      if (this.#box.value.trim() === expression) this.#show(answer, expression);
      return answer;
    } catch {
      const message = l10n.t('This result is no longer available. Run the tool again.');
      this.#box.validationMessage = { message, severity: vscode.InputBoxValidationSeverity.Error };
      return undefined;
    } finally {
      this.#box.busy = false;
    }
  }

  #show(answer: FilterAnswer, expression: string): void {
    const message = formatFilterAnswer(answer, expression);
    const isFine = answer.kind === 'selected';
    const { Info, Error } = vscode.InputBoxValidationSeverity;
    const isHarmless = answer.kind === 'incomplete' || answer.kind === 'nothing';
    this.#box.prompt = isFine ? message : usage();
    this.#box.validationMessage = isFine
      ? undefined
      : { message, severity: isHarmless ? Info : Error };
  }
}

function usage(): string {
  return l10n.t('A JMESPath expression, or a JSON pointer such as /items/0');
}

function keyOf({ entry, facts: { origin } }: StoredResult): string {
  return JSON.stringify([entry.serverId, origin.kind === 'call' ? origin.toolName : origin.uri]);
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((x) => typeof x === 'string');
}
