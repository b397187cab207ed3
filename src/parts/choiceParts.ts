import * as vscode from 'vscode';
import { ToolSets } from '../host/agents/toolSets';
import type { ServerRegistry } from '../host/connections/registry';
import { ToolSetCommand, ToolSetStatus } from '../ui/agents/toolSetCommand';
import type { SettingsReader } from '../ui/settings/settings';
import { ClientProfiles } from '../host/configuration/clientProfiles';
import { DisabledItems, TaskChoices } from '../host/configuration/toolChoices';

/** The tool sets, their status and the command to choose one. */
export class ToolSetParts implements vscode.Disposable {
  readonly sets: ToolSets;
  readonly #all: vscode.Disposable;

  constructor(
    { workspaceState }: Pick<vscode.ExtensionContext, 'workspaceState'>,
    settings: SettingsReader,
    registry: Pick<ServerRegistry, 'servers'>,
  ) {
    this.sets = new ToolSets(settings, workspaceState);
    const command = new ToolSetCommand({ sets: this.sets, registry });
    this.#all = vscode.Disposable.from(this.sets, new ToolSetStatus(this.sets), command.register());
  }

  dispose(): void {
    this.#all.dispose();
  }
}

/** The user's choices for servers and tools in this workspace, stored outside of files. */
export class ChoiceParts implements vscode.Disposable {
  readonly disabled: DisabledItems;
  readonly taskChoices: TaskChoices;
  readonly profiles: ClientProfiles;

  constructor({ workspaceState }: Pick<vscode.ExtensionContext, 'workspaceState'>) {
    this.disabled = new DisabledItems(workspaceState);
    this.taskChoices = new TaskChoices(workspaceState);
    this.profiles = new ClientProfiles(workspaceState);
  }

  dispose(): void {
    this.disabled.dispose();
    this.taskChoices.dispose();
    this.profiles.dispose();
  }
}
