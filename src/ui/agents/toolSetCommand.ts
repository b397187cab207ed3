import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { isObject } from '../../core/json/shapes';
import { maxSetNameChars, toolPattern, type ToolSets } from '../../host/agents/toolSets';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands, settings } from '../../ids';
import { pickRule } from '../consent/rules/rulePicker';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { chosenItem, createPicker, type ChoiceItem } from '../editor/picker';
import { askItems, askLine } from '../editor/stepInputs';
import { labelText } from '../format/labelText';

const maxLabelChars = 200;
/** A quick pick takes this many rows at once without a stall. */
const maxTools = 2_000;
const settingName = `${settings.section}.${settings.toolSets}`;

interface ToolSetCommandOptions {
  readonly sets: Pick<ToolSets, 'sets' | 'chosen' | 'choose' | 'holds'>;
  readonly registry: Pick<ServerRegistry, 'servers'>;
}

type Choice =
  | { readonly kind: 'set'; readonly name: string | undefined }
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' };

interface PatternItem extends vscode.QuickPickItem {
  /** Absent for a separator. */
  readonly pattern?: string;
}

/** Select Tool Set…: selects the tools that the tree and agents show in this workspace. */
export class ToolSetCommand {
  readonly #options: ToolSetCommandOptions;

  constructor(options: ToolSetCommandOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(commands.selectToolSet, () => this.run());
  }

  async run(): Promise<void> {
    const pick = createPicker<ChoiceItem<Choice>>({
      title: l10n.t('Select Tool Set'),
      placeholder: l10n.t('Choose the tools that the tree and agents show in this workspace'),
      matchOnDetail: true,
      items: this.#items(),
    });
    const choice = await chosenItem(pick);
    switch (choice?.kind) {
      case undefined:
        return;
      case 'set':
        return this.#options.sets.choose(choice.name);
      case 'new':
        return this.#make();
      case 'edit':
        await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
          revealSetting: { key: settingName, edit: true },
        });
        return;
      default:
        assertNever(choice);
    }
  }

  #items(): ChoiceItem<Choice>[] {
    const { sets, chosen } = this.#options.sets;
    const now = l10n.t('selected');
    return [
      ...[...sets].map(([name, { patterns }]) => ({
        label: labelText(name),
        description: name === chosen ? now : '',
        detail: labelText(patterns.slice(0, maxLabelChars).join(', ')),
        choice: { kind: 'set', name } as const,
      })),
      {
        label: l10n.t('All Tools'),
        description: chosen === undefined ? now : '',
        choice: { kind: 'set', name: undefined },
      },
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      {
        label: l10n.t('New Tool Set…'),
        iconPath: new vscode.ThemeIcon('add'),
        choice: { kind: 'new' },
      },
      {
        label: l10n.t('Edit Tool Sets'),
        description: settingName,
        iconPath: new vscode.ThemeIcon('settings-gear'),
        choice: { kind: 'edit' },
      },
    ];
  }

  async #make(): Promise<void> {
    const title = l10n.t('New Tool Set');
    const items = this.#patternItems();
    if (items.length === 0) {
      notify('information', l10n.t('No server is configured.'));
      return;
    }
    const { end, value: picked = [] } = await askItems(items, {
      title,
      placeholder: l10n.t('Choose the tools of the set'),
      hasBack: false,
    });
    const patterns = picked.flatMap(({ pattern }) => pattern ?? []);
    if (end !== 'next' || patterns.length === 0) return;
    const name = await this.#askName(title);
    if (name === undefined) return;
    const isWanted = await pickRule({
      title: l10n.t('New Tool Set: {0}', quoted(name)),
      placeholder: l10n.t('Save the tool set in your user settings'),
      choices: [
        {
          label: l10n.t('Save and Select'),
          rule: { [name]: patterns },
          choice: true,
        },
      ],
    });
    if (isWanted === true && (await write(name, patterns))) await this.#options.sets.choose(name);
  }

  async #askName(title: string): Promise<string | undefined> {
    const { sets } = this.#options.sets;
    const { end, value = '' } = await askLine({
      title,
      prompt: l10n.t('Name of the tool set'),
      hasBack: false,
      problemOf: (text) => {
        const name = text.trim();
        if (name === '' || name.length > maxSetNameChars) {
          return l10n.t('Use 1 to {0} characters.', maxSetNameChars);
        }
        return sets.has(name) ? l10n.t('A tool set with this name already exists.') : undefined;
      },
    });
    return end === 'next' ? value.trim() : undefined;
  }

  /** Lists each server as a whole and each of its tools. The ones that a set shows are checked. */
  #patternItems(): readonly PatternItem[] {
    const { sets, registry } = this.#options;
    return registry.servers
      .flatMap(({ config: { id, label }, tools }): readonly PatternItem[] => {
        const ofTools = tools.flatMap(({ tool }): PatternItem | readonly PatternItem[] => {
          const pattern = toolPattern(id, tool.name);
          const picked = sets.chosen !== undefined && sets.holds(id, tool.name);
          const description = labelText(label);
          return pattern === undefined
            ? []
            : { label: labelText(tool.name), description, pattern, picked };
        });
        const all = {
          label: l10n.t('All tools of “{0}”', labelText(label)),
          description: l10n.t('including future tools'),
          pattern: id,
        };
        const separator = { label: labelText(label), kind: vscode.QuickPickItemKind.Separator };
        return [separator, ...(/[*?]/.test(id) ? [] : [all]), ...ofTools];
      })
      .slice(0, maxTools);
  }
}

/** Adds the set to the user settings. Resolves with false after a message if that failed. */
async function write(name: string, patterns: readonly string[]): Promise<boolean> {
  const configuration = vscode.workspace.getConfiguration(settings.section);
  const before: unknown = configuration.inspect(settings.toolSets)?.globalValue ?? {};
  try {
    if (!isObject(before)) throw new Error(l10n.t('{0} is not an object.', settingName));
    const after = { ...before, [name]: patterns };
    await configuration.update(settings.toolSets, after, vscode.ConfigurationTarget.Global);
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    notify('error', l10n.t('The tool set could not be saved: {0}', quoted(why)));
    return false;
  }
}

/** Places it after the entry for agents, who see the tool set. */
const priority = 48;
const maxShownChars = 30;

/** Shows the selected tool set if any are defined. A click selects another one. */
export class ToolSetStatus implements vscode.Disposable {
  readonly #sets: Pick<ToolSets, 'sets' | 'chosen' | 'onDidChange'>;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: { dispose(): void };

  constructor(sets: Pick<ToolSets, 'sets' | 'chosen' | 'onDidChange'>) {
    this.#sets = sets;
    const left = vscode.StatusBarAlignment.Left;
    this.#item = vscode.window.createStatusBarItem(commands.selectToolSet, left, priority);
    this.#item.name = l10n.t('Tool Set');
    this.#item.command = commands.selectToolSet;
    this.#subscription = sets.onDidChange(() => this.#show());
    this.#show();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #show(): void {
    const { chosen, sets } = this.#sets;
    if (chosen === undefined && sets.size === 0) {
      this.#item.hide();
      return;
    }
    const isGone = chosen !== undefined && !sets.has(chosen);
    const text = chosen === undefined ? l10n.t('All Tools') : labelText(chosen, maxShownChars);
    this.#item.text = `$(tools) ${text}`;
    this.#item.tooltip = isGone
      ? l10n.t('This tool set no longer exists, so no tool is shown. Click to choose another one.')
      : l10n.t('Limits the tools that the tree and agents show. Click to choose another tool set.');
    const warning = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#item.backgroundColor = isGone ? warning : undefined;
    this.#item.accessibilityInformation = {
      label: isGone
        ? l10n.t('Tool set {0} is missing: no tool is shown', text)
        : l10n.t('Tool set: {0}', text),
    };
    this.#item.show();
  }
}
