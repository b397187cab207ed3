import path from 'node:path';
import * as vscode from 'vscode';
import type { SchemaValidator } from '../core/schema/schema';
import type { CallJournal } from '../host/calls/callJournal';
import type { RunningCalls } from '../host/calls/runningCalls';
import type { ServerRegistry } from '../host/connections/registry';
import type { TaskChoices } from '../host/configuration/toolChoices';
import { ExclusiveLocks } from '../host/storage/exclusiveLocks';
import { StoredTasks } from '../host/tasks/storedTasks';
import { TaskKeeper } from '../host/tasks/taskKeeper';
import type { CallHistory } from '../ui/activity/callHistory';
import { registerTaskCommand, registerTaskRowCommands } from '../ui/activity/taskCommand';
import { isWindowFocused, notifyTaskProblem } from '../ui/activity/taskNotices';
import { registerTaskChoices } from '../ui/configuration/taskChoiceCommands';
import type { AuthorizationParts } from './authorizationParts';

export interface TaskPartsOptions {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalStorageUri'>;
  readonly taskChoices: TaskChoices;
  readonly registry: ServerRegistry;
  readonly running: RunningCalls;
  readonly past: Pick<CallHistory, 'storedArgumentsOf'>;
  readonly journal: CallJournal;
  readonly validator: SchemaValidator;
  readonly authorization: Pick<AuthorizationParts, 'accountOf'>;
}

/** Tasks that outlive the window: their storage and their resumption. */
export class TaskParts implements vscode.Disposable {
  readonly store: StoredTasks;
  readonly keeper: TaskKeeper;
  readonly #options: TaskPartsOptions;
  readonly #locks: ExclusiveLocks;

  constructor(options: TaskPartsOptions) {
    const { context, registry, running, past, journal, validator, authorization } = options;
    this.#options = options;
    this.store = new StoredTasks(context.secrets);
    this.#locks = new ExclusiveLocks({
      folder: path.join(context.globalStorageUri.fsPath, 'tasks'),
      settleMs: 0,
      onProblem: notifyTaskProblem,
    });
    this.keeper = new TaskKeeper({
      store: this.store,
      locks: this.#locks,
      registry,
      calls: running,
      journal,
      validator,
      storedArgumentsOf: (callId) => past.storedArgumentsOf(callId),
      isWatched: isWindowFocused,
      accountOf: (config) => authorization.accountOf(config),
      onProblem: notifyTaskProblem,
    });
  }

  register(): vscode.Disposable {
    const { running, registry } = this.#options;
    const { store, keeper } = this;
    return vscode.Disposable.from(
      registerTaskCommand({ running, store, keeper, registry }),
      registerTaskRowCommands(running),
      registerTaskChoices(this.#options),
    );
  }

  dispose(): void {
    this.keeper.dispose();
    this.store.dispose();
    this.#locks.dispose();
  }
}
