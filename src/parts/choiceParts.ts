import type * as vscode from 'vscode';
import { DisabledItems } from '../host/configuration/disabledItems';
import { TaskChoices } from '../host/configuration/taskChoices';

/** What the person chose for servers and tools in this workspace, without touching files. */
export class ChoiceParts implements vscode.Disposable {
  readonly disabled: DisabledItems;
  readonly taskChoices: TaskChoices;

  constructor({ workspaceState }: Pick<vscode.ExtensionContext, 'workspaceState'>) {
    this.disabled = new DisabledItems(workspaceState);
    this.taskChoices = new TaskChoices(workspaceState);
  }

  dispose(): void {
    this.disabled.dispose();
    this.taskChoices.dispose();
  }
}
