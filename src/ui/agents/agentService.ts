import * as l10n from '@vscode/l10n';
import { mkdir, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { readRegularFile } from '../../core/bounds/regularFile';
import { toMcpError } from '../../core/errors';
import type { ConnectionLog } from '../../core/log';
import type { AgentEndpoint, AgentEndpointOptions } from '../../host/agents/agentEndpoint';
import { AgentRateLimit } from '../../host/agents/agentLimits';
import { writeAtomically } from '../../host/storage/atomicWrite';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { localFolderPaths } from '../editor/localFolders';
import type { SettingsReader } from '../settings/settings';

interface AgentServiceOptions extends Pick<
  AgentEndpointOptions,
  'access' | 'gate' | 'messages' | 'keep' | 'drafts' | 'version' | 'occasions'
> {
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  readonly status: AgentStatus;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** Folder that all windows share. It contains the bridge. */
  readonly folder: string;
  /** The bridge that came with the extension. */
  readonly bridge: string;
}

/** The bridge of a production build has some 12 kB. */
const maxBridgeBytes = 4 * 1024 * 1024;

/** Allows agents to connect as long as the user's setting says so. Each window has one endpoint. */
export class AgentService implements vscode.Disposable {
  readonly #options: AgentServiceOptions;
  readonly #subscription: vscode.Disposable;
  #endpoint: AgentEndpoint | undefined;
  #isCutOff = false;
  #isOver = false;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.#subscription = vscode.Disposable.from(
      options.settings.onDidChange(() => void this.#settle()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#rewrite()),
    );
    void this.#settle();
  }

  /** Resolves with true if agents were allowed until now. */
  async cutOff(): Promise<boolean> {
    this.#isCutOff = true;
    const wasOpen = this.#endpoint !== undefined;
    await this.#settle();
    return wasOpen;
  }

  /** Resolves with true if agents are allowed once pending changes are done. */
  async isOpen(): Promise<boolean> {
    await this.#lastTurn;
    return this.#endpoint !== undefined;
  }

  dispose(): void {
    this.#isOver = true;
    this.#subscription.dispose();
    void this.#settle();
  }

  /** Opens or closes the endpoint; changes run one after the other. Never rejects. */
  #settle(): Promise<void> {
    const { settings } = this.#options;
    if (!settings.current.servesAgents) this.#isCutOff = false;
    return this.#takeTurn(() => this.#openOrClose());
  }

  async #openOrClose(): Promise<void> {
    const { settings, status } = this.#options;
    const isWanted = settings.current.servesAgents && !this.#isCutOff && !this.#isOver;
    if (isWanted === (this.#endpoint !== undefined)) return;
    const before = this.#endpoint;
    this.#endpoint = isWanted ? await this.#open() : undefined;
    try {
      await before?.close();
    } finally {
      if (!this.#isOver) status.show(this.#endpoint?.size);
    }
  }

  /**
   * Runs after the turns before it. An error in one turn is logged and does not stop later ones.
   */
  #takeTurn(act: () => Promise<void> | undefined): Promise<void> {
    this.#lastTurn = this.#lastTurn
      .then(act)
      .catch((error: unknown) => this.#options.log.warn(String(error)));
    return this.#lastTurn;
  }

  async #open(): Promise<AgentEndpoint | undefined> {
    const { settings, folder, log, status } = this.#options;
    try {
      await this.#layOutBridge();
      const { AgentEndpoint: Endpoint } = await import('../../host/agents/agentEndpoint');
      const endpoint: AgentEndpoint = await Endpoint.open({
        ...this.#options,
        floods: new AgentRateLimit(notifyFlood),
        answerWithinMs: () => settings.current.agentAnswerWithinMs,
        workspaceFolders,
        folder,
        log,
        onDidChange: () => {
          if (this.#endpoint !== undefined) status.show(this.#endpoint.size);
        },
      });
      return endpoint;
    } catch (thrown) {
      const { facts, message } = toMcpError(thrown);
      const why = quoted(facts.detail ?? message);
      notify('error', l10n.t('Agents cannot connect: {0}', why));
      return undefined;
    }
  }

  /**
   * Copies the bridge to the path that configurations of agents name, because it outlives a version
   * of the extension.
   */
  async #layOutBridge(): Promise<void> {
    const { folder, bridge } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const copy = async (handle: FileHandle): Promise<void> =>
      handle.writeFile(await readRegularFile(bridge, maxBridgeBytes));
    await writeAtomically(gatewayIn(folder), copy);
  }

  #rewrite(): void {
    void this.#takeTurn(() => this.#endpoint?.rewrite());
  }
}

/** Returns the path of the bridge in the folder that windows share. */
export function gatewayIn(folder: string): string {
  return path.join(folder, 'gateway.js');
}

async function workspaceFolders(): Promise<readonly string[]> {
  return Promise.all(localFolderPaths().map((folder) => realpath(folder).catch(() => folder)));
}

function notifyFlood(client: string): void {
  notify(
    'warning',
    l10n.t(
      'Agent “{0}” (as it calls itself) sends too many requests. Further ones are refused for now.',
      quoted(client),
    ),
    { title: l10n.t('Disconnect Agents'), command: commands.cutOffAgents },
  );
}

const priority = 49;

/**
 * Shows that agents are allowed, and how many are connected. A click selects the servers that they
 * may use.
 */
export class AgentStatus implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;

  constructor() {
    const left = vscode.StatusBarAlignment.Left;
    this.#item = vscode.window.createStatusBarItem(commands.exposeToAgents, left, priority);
    this.#item.name = l10n.t('Agents');
    this.#item.command = commands.exposeToAgents;
  }

  /** `undefined` means that agents are not allowed. */
  show(count: number | undefined): void {
    if (count === undefined) {
      this.#item.hide();
      return;
    }
    const text = count === 1 ? l10n.t('1 agent') : l10n.t('{0} agents', String(count));
    this.#item.text = `$(plug) ${text}`;
    this.#item.tooltip = l10n.t('Choose What Agents Can Use');
    this.#item.accessibilityInformation = {
      label: l10n.t('{0} connected to Toolgate', text),
    };
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
