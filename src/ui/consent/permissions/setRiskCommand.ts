import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RiskOverrides } from '../../../host/consent/grants/overrides';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { ToolEntry } from '../../../host/connections/snapshot';
import type { ServerConfig } from '../../../host/configuration/serverConfig';
import { StorageError } from '../../../host/storage/recordStore';
import { escapeIcons } from '../../../core/visibleText';
import { commands } from '../../../ids';
import { rowOrPickedTool } from '../../picking/toolPicker';
import { notify } from '../../editor/messages';
import type { ServerActions } from '../../servers/serverActions';
import { formatRisk } from '../../format/formatRisk';
import { quoted } from '../../format/sentences';
import { toolTitle } from '../../format/toolTitle';
import { askForOverride } from './setRiskQuestions';

export interface SetRiskCommandOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly overrides: RiskOverrides;
}

const statusMs = 5_000;

/** Set Risk…: the user sets the risk of a tool after checking it, or removes that setting. */
export class SetRiskCommand {
  readonly #options: SetRiskCommandOptions;

  constructor(options: SetRiskCommandOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.setRisk, (argument: unknown) => this.run(argument)),
      // Another window may have changed the risks in the meantime, and the tree shows them.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void this.#options.overrides.refresh();
      }),
    );
  }

  /** Runs for a row of the tree, or for the tool that the user selects in a picker. */
  async run(argument?: unknown): Promise<void> {
    const title = l10n.t('Set Risk');
    const found = await rowOrPickedTool(argument, { ...this.#options, title });
    if (found === undefined) return;
    const { entry, isFromTree } = found;
    const config = this.#options.registry.find(entry.serverId)?.config;
    if (config !== undefined) await this.#ask(config, entry, isFromTree ? 'tree' : 'palette');
  }

  /** The risk is bound to the definition in `entry`, which is the one that the user saw. */
  async #ask(config: ServerConfig, entry: ToolEntry, origin: 'tree' | 'palette'): Promise<void> {
    const { overrides } = this.#options;
    const { tool } = entry;
    const name = quoted(toolTitle(tool));
    if (!overrides.canBind(tool)) {
      const sentence = l10n.t(
        'The risk of “{0}” cannot be set because its definition is nested too deeply to compare.',
        name,
      );
      notify('warning', sentence);
      return;
    }
    await overrides.refresh();
    const answer = await askForOverride({
      entry,
      serverLabel: config.label,
      states: overrides.of(config, tool),
      scopes: overrides.scopes,
    });
    if (answer === undefined) return;
    try {
      if (answer.kind === 'takeBack') await overrides.takeBack(config, tool.name);
      else await overrides.set({ ...answer, config, tool, origin });
    } catch (error) {
      const detail = error instanceof StorageError ? error.detail : String(error);
      notify(
        'error',
        l10n.t('The risk of “{0}” could not be stored. Details: “{1}”', name, quoted(detail)),
      );
      return;
    }
    const now = formatRisk(overrides.riskOf(config, tool));
    const sentence = l10n.t('The risk of “{0}” is now {1}', name, now);
    vscode.window.setStatusBarMessage(escapeIcons(sentence), statusMs);
  }
}
