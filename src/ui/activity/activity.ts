import type * as vscode from 'vscode';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { ServerRegistry } from '../../host/connections/registry';
import { CallNotifications } from '../calls/callProgress';
import type { CallToolCommand } from '../calls/callToolCommand';
import type { SettingsReader } from '../configuration/settings';
import type { Results } from '../results/results';
import type { ServerActions } from '../servers/serverActions';
import { CallCommands } from './callCommands';
import type { CallHistory } from './callHistory';
import { CallList } from './callList';
import { CallStatus } from './callStatus';
import { CallsView } from './callsView';
import { Comparisons } from './comparisons';
import { DeadlineWarnings } from './deadlineWarnings';
import { PastCallCommands } from './pastCallCommands';
import { openPastResult } from './pastResults';
import { ResultDrags } from './resultDrags';

export interface ActivityParts {
  readonly running: RunningCalls;
  readonly past: Pick<CallHistory, 'history'>;
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly actions: Pick<ServerActions, 'stop'>;
  readonly calls: Pick<CallToolCommand, 'repeat' | 'change'>;
  readonly results: Pick<Results, 'has' | 'open' | 'restoreCall' | 'uriOf'>;
  readonly settings: Pick<SettingsReader, 'current'>;
}

/** Everything that shows calls while they go on, and after: view, notifications, status bar. */
export class Activity implements vscode.Disposable {
  readonly #disposables: readonly vscode.Disposable[];

  constructor(parts: ActivityParts) {
    const { running, results, settings, past } = parts;
    const { history } = past;
    const list = new CallList({
      running,
      history,
      hasDocuments: (callId) => results.has(callId),
    });
    const view = new CallsView(list, () => history.read(), new ResultDrags(results));
    const openResult = (callId: string) => openPastResult({ history, results }, callId);
    const commands = new CallCommands({ ...parts, list, openResult });
    const volatileFields = () => settings.current.volatileFields;
    const comparisons = new Comparisons({ history, volatileFields });
    const focused = () => view.takeFocused();
    this.#disposables = [
      commands.register(),
      comparisons.registerCommands(),
      comparisons,
      new PastCallCommands({ ...parts, list, history, comparisons, focused }).register(),
      view,
      list,
      new CallStatus(running),
      new CallNotifications(running),
      new DeadlineWarnings({ calls: running, cancel: (callId) => commands.cancel(callId) }),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
