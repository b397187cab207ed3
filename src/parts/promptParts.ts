import type * as vscode from 'vscode';
import type { ServerPrompt } from '../core/parse/promptsAndResources';
import type { RunningCalls } from '../host/calls/runningCalls';
import type { ServerRegistry } from '../host/connections/registry';
import { PromptReads } from '../host/prompts/promptReads';
import {
  type PromptConnection,
  promptKind,
  type PromptLists,
  ServerLists,
} from '../host/resources/serverLists';
import type { CallHistory } from '../ui/activity/callHistory';
import { PromptCommands, type PromptCommandsOptions } from '../ui/prompts/promptCommands';
import type { SettingsReader } from '../ui/settings/settings';
import type { ConsentParts } from './consentParts';

export interface PromptPartsOptions extends Omit<PromptCommandsOptions, 'lists' | 'reads'> {
  readonly registry: ServerRegistry;
  readonly running: RunningCalls;
  readonly past: Pick<CallHistory, 'recorder'>;
  readonly consent: Pick<ConsentParts, 'recorder'>;
  readonly settings: Pick<SettingsReader, 'current'>;
}

/** Prompts besides their rows: lists, commands, and their part in the history and the journal. */
export class PromptParts implements vscode.Disposable {
  readonly lists: PromptLists;
  readonly commands: PromptCommands;
  readonly reads: PromptReads;
  readonly #registration: vscode.Disposable;

  constructor(options: PromptPartsOptions) {
    const { registry, running: calls, past, consent, settings } = options;
    this.lists = new ServerLists<ServerPrompt, PromptConnection>(registry, promptKind);
    const { lists } = this;
    const { recorder } = consent;
    const limits = () => settings.current;
    const history = past.recorder;
    this.reads = new PromptReads({ registry, lists, calls, recorder, history, limits });
    const { reads } = this;
    this.commands = new PromptCommands({ ...options, lists, reads });
    this.#registration = this.commands.register();
  }

  dispose(): void {
    this.#registration.dispose();
    this.lists.dispose();
  }
}
