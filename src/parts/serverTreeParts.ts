import * as vscode from 'vscode';
import type { RunningCalls } from '../host/calls/runningCalls';
import type { ServerRegistry } from '../host/connections/registry';
import type { ToolSets } from '../host/agents/toolSets';
import type { LastTools } from '../host/lastTools/lastTools';
import type { ResourceLists } from '../host/resources/resourceLists';
import { registerKeyboardHelp } from '../ui/editor/keyboardHelp';
import { ContextKeys } from '../ui/tree/contextKeys';
import { registerDisabledDecorations } from '../ui/tree/disabledDecorations';
import { registerLastKnownDecorations } from '../ui/tree/lastKnownRows';
import type { DroppedFiles } from '../ui/tree/fileDrops';
import { WalkthroughProgress } from '../ui/tree/walkthroughProgress';
import { registerFilterCommands } from '../ui/tree/filterCommands';
import type { MarkSource } from '../ui/tree/serverTree';
import type { SettingsReader } from '../ui/settings/settings';
import type { ServerTreeProcesses } from '../ui/servers/treeProcesses';
import { ServerTreeView } from '../ui/tree/serverTreeView';
import { ToolFilterState } from '../ui/tree/toolFilterState';
import { ToolPresses } from '../ui/tree/toolPresses';

export interface ServerTreePartsOptions {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalStorageUri'>;
  readonly registry: ServerRegistry;
  readonly pins: MarkSource;
  readonly resources: ResourceLists;
  readonly lastTools: LastTools;
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  readonly dropFiles: (files: DroppedFiles) => Promise<void>;
  readonly processes: ServerTreeProcesses;
  readonly toolSets: ToolSets;
  readonly running: Pick<RunningCalls, 'onDidEnd'>;
}

/** The view of servers and tools, its filter, and the context keys that follow both. */
export class ServerTreeParts {
  readonly #options: ServerTreePartsOptions;

  constructor(options: ServerTreePartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const options = this.#options;
    const { context, registry, settings: grouping } = options;
    const filter = new ToolFilterState(context.workspaceState);
    const milestones = new WalkthroughProgress(options.running);
    const memento = context.workspaceState;
    const view = new ServerTreeView({ ...options, filter, grouping, milestones, memento });
    const commands = vscode.Disposable.from(
      registerFilterCommands(filter, view),
      new ToolPresses({ selection: () => view.selection, settings: grouping }).register(),
    );
    const decorations = vscode.Disposable.from(
      registerDisabledDecorations(),
      registerLastKnownDecorations(),
      registerKeyboardHelp(),
    );
    const keys = new ContextKeys(registry, filter, undefined, milestones);
    return vscode.Disposable.from(filter, view, commands, keys, milestones, decorations);
  }
}
