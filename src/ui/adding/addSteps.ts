import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import { namesInConfiguration } from '../../host/adding/configurationAdditions';
import type { ServerDraft } from '../../host/adding/draft';
import { type FoundSecret, findDraftSecrets } from '../../host/adding/draftSecrets';
import { formatOf } from '../../host/configuration/configurationFormats';
import type { ServerRegistry } from '../../host/connections/registry';
import { quoted } from '../format/sentences';
import { askItem, askItems, askLine, type StepEnd } from '../editor/stepInputs';
import { formatSecretPlace, transportLine } from './formatDraft';
import { askTarget, type Target } from './targets';
import { configurationTextOf } from './writeAddition';
import { freeName } from '../../core/nearestName';

export interface AddStepsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  /** Paths of the user's own files, in order of precedence. */
  readonly userFiles: readonly string[];
}

export type NamedDraft = ServerDraft & { readonly name: string };

export interface SecretItem extends vscode.QuickPickItem {
  readonly draft: NamedDraft;
  readonly secret: FoundSecret;
}

const maxNameChars = 200;

function suggestedName({ name = 'server' }: ServerDraft): string {
  return name.slice(0, maxNameChars);
}

/**
 * The questions of Add Server and their answers. A question that is asked again shows its answer.
 */
export class AddSteps {
  readonly #drafts: readonly ServerDraft[];
  readonly #options: AddStepsOptions;
  #chosen: readonly ServerDraft[];
  #target: Target | undefined;
  /** The name that the user typed for a single server. */
  #typedName: string | undefined;
  #named: readonly NamedDraft[] = [];
  #secrets: readonly SecretItem[] = [];
  /** Values that look like secrets and that the user wants to keep in the file. */
  #unchecked: ReadonlySet<string> = new Set();

  constructor(drafts: readonly ServerDraft[], options: AddStepsOptions) {
    this.#drafts = drafts;
    this.#options = options;
    this.#chosen = drafts;
  }

  get target(): Target | undefined {
    return this.#target;
  }

  get named(): readonly NamedDraft[] {
    return this.#named;
  }

  /** The values that go to secret storage. */
  get secrets(): readonly SecretItem[] {
    return this.#secrets;
  }

  /**
   * For one server that can be run in several ways, the user chooses one of them. From several
   * servers, the user chooses any number.
   */
  async chooseDrafts(hasBack: boolean): Promise<StepEnd> {
    if (this.#drafts.length <= 1) return 'skipped';
    const items = this.#drafts.map((draft) => ({
      label: escapeIcons(quoted(draft.name ?? l10n.t('without a name'))),
      detail: escapeIcons(transportLine(draft)),
      picked: this.#chosen.includes(draft),
      draft,
    }));
    const question = { title: l10n.t('Add Server'), hasBack };
    const isOneServer = new Set(this.#drafts.map(({ name }) => name)).size === 1;
    if (isOneServer) {
      const { end, value } = await askItem(items, {
        ...question,
        placeholder: l10n.t('Choose how to run the server'),
        active: items.find(({ picked }) => picked),
      });
      return this.#choose(end, value === undefined ? [] : [value.draft]);
    }
    const { end, value = [] } = await askItems(items, {
      ...question,
      placeholder: l10n.t('Choose the servers to add'),
    });
    return this.#choose(
      end,
      value.map(({ draft }) => draft),
    );
  }

  #choose(end: StepEnd, drafts: readonly ServerDraft[]): StepEnd {
    if (end !== 'next') return end;
    if (drafts.length === 0) return 'cancel';
    const isOther = drafts.some((draft, index) => draft !== this.#chosen[index]);
    if (isOther || drafts.length !== this.#chosen.length) {
      this.#typedName = undefined;
      this.#unchecked = new Set();
    }
    this.#chosen = drafts;
    return end;
  }

  async chooseTarget(hasBack: boolean): Promise<StepEnd> {
    const { end, value } = await askTarget(this.#options.userFiles, hasBack, this.#target);
    if (end === 'next') this.#target = value;
    return end;
  }

  /**
   * The user names a single server. Several servers keep their names as far as these are unused.
   */
  async nameDrafts(hasBack: boolean): Promise<StepEnd> {
    const inFile = this.#target === undefined ? [] : (await namesInFile(this.#target)).servers;
    const known = this.#options.registry.servers.map(({ config }) => config.id);
    const used = new Set([...inFile, ...known]);
    const [only, ...others] = this.#chosen;
    if (only !== undefined && others.length === 0) {
      const suggested = freeName(suggestedName(only), used);
      const { end, value = '' } = await askName(this.#typedName ?? suggested, used, hasBack);
      this.#typedName = value;
      this.#named = [{ ...only, name: value.trim() }];
      return end;
    }
    this.#named = this.#chosen.map((draft) => {
      const name = freeName(suggestedName(draft), used);
      used.add(name);
      return { ...draft, name };
    });
    return 'skipped';
  }

  /** Offers to move values that look like secrets out of the file. */
  async chooseSecrets(hasBack: boolean): Promise<StepEnd> {
    const isShared = this.#target && formatOf(this.#target.source) === 'mcpServers';
    const items = this.#named.flatMap((draft, index) =>
      findDraftSecrets(draft).map((secret) => {
        const key = JSON.stringify([index, secret.path, secret.start]);
        return { ...secretRow(draft, secret, isShared), picked: !this.#unchecked.has(key), key };
      }),
    );
    if (items.length === 0) {
      this.#secrets = [];
      return 'skipped';
    }
    const { end, value = [] } = await askItems(items, {
      title: l10n.t('Secrets'),
      placeholder: l10n.t('Unchecked values are written to the file as plain text'),
      hasBack,
    });
    const unchecked = items.filter((item) => !value.includes(item));
    this.#unchecked = new Set(unchecked.map(({ key }) => key));
    this.#secrets = value;
    return end;
  }
}

/** Returns the names of servers and inputs that the file contains already. */
export async function namesInFile({
  uri,
}: Target): Promise<ReturnType<typeof namesInConfiguration>> {
  return namesInConfiguration((await configurationTextOf(uri)) ?? '');
}

function askName(value: string, used: ReadonlySet<string>, hasBack: boolean) {
  return askLine({
    title: l10n.t('Name of the Server'),
    prompt: l10n.t('A short name for the server'),
    value,
    hasBack,
    problemOf: (typed) => {
      if (typed.trim() === '') return l10n.t('Enter a name.');
      if (typed.length > maxNameChars) {
        return l10n.t('Enter at most {0} characters.', maxNameChars);
      }
      return used.has(typed.trim()) ? l10n.t('A server with this name already exists.') : undefined;
    },
  });
}

function secretRow(draft: NamedDraft, secret: FoundSecret, isShared = false): SecretItem {
  const kept = secret.isPlaceholder
    ? l10n.t('Placeholder only: you are asked when the server starts')
    : l10n.t('Kept in secret storage; the file contains only its name');
  return {
    label: escapeIcons(quoted(draft.name)),
    iconPath: new vscode.ThemeIcon('key'),
    description: escapeIcons(formatSecretPlace(secret)),
    detail: isShared ? l10n.t('The file refers to an environment variable that you set') : kept,
    draft,
    secret,
  };
}
