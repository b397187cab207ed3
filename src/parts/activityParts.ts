import * as vscode from 'vscode';
import type { RunningCalls } from '../host/calls/runningCalls';
import type { ServerRegistry } from '../host/connections/registry';
import { CallNotifications, isSigningIn } from '../ui/activity/callProgress';
import type { CallToolCommand } from '../ui/calls/callToolCommand';
import type { PromptCommands } from '../ui/prompts/promptCommands';
import type { SettingsReader } from '../ui/settings/settings';
import type { Results } from '../ui/results/results';
import type { ServerActions } from '../ui/servers/serverActions';
import { CallCommands } from '../ui/activity/callCommands';
import type { AgentDrafts } from '../host/agents/agentDrafts';
import type { CallHistory } from '../ui/activity/callHistory';
import { CallList } from '../ui/activity/callList';
import { CallStatus } from '../ui/activity/callStatus';
import { CallsView, ResultDrags } from '../ui/activity/callsView';
import { Comparisons } from '../ui/activity/comparisons';
import { DeadlineWarnings } from '../ui/activity/deadlineWarnings';
import { PastCallCommands } from '../ui/activity/pastCallCommands';
import { openPastResult } from '../ui/activity/pastResults';
import { registerAgentDraftCommand } from '../ui/agents/agentDraftCommand';
import { TaskNotices } from '../ui/activity/taskNotices';
import { showStatus } from '../ui/editor/messages';

export interface ActivityPartsOptions {
  readonly running: RunningCalls;
  readonly past: Pick<CallHistory, 'history' | 'argumentsOfRunning' | 'argumentsOfDraft'>;
  /** Calls that agents requested in this session and that were not answered. */
  readonly drafts: AgentDrafts;
  readonly registry: Pick<ServerRegistry, 'find' | 'onDidChange'>;
  readonly actions: Pick<ServerActions, 'stop'>;
  readonly calls: Pick<CallToolCommand, 'repeat' | 'change'>;
  readonly prompts: Pick<PromptCommands, 'again' | 'change'>;
  readonly results: Pick<Results, 'has' | 'open' | 'pathOf' | 'restoreCall' | 'uriOf'>;
  readonly settings: Pick<SettingsReader, 'current'>;
}

/** Registers everything that shows running and past calls: view, notifications, status bar. */
export function registerActivity(options: ActivityPartsOptions): vscode.Disposable {
  const { running, results, settings, past, drafts } = options;
  const { history } = past;
  const list = createCallList(options);
  const view = new CallsView(list, () => history.read(), new ResultDrags(results));
  const openResult = (callId: string) => openPastResult({ history, results }, callId);
  const focused = () => view.takeFocused();
  const commands = new CallCommands({ ...options, list, openResult, focused });
  const volatileFields = () => settings.current.volatileFields;
  const comparisons = new Comparisons({ history, volatileFields });
  return vscode.Disposable.from(
    commands.register(),
    comparisons.register(),
    comparisons,
    new PastCallCommands({ ...options, list, history, drafts, comparisons, focused }).register(),
    registerAgentDraftCommand({ ...options, drafts, list }),
    view,
    list,
    new CallStatus(running),
    new CallNotifications(running, options.registry),
    new TaskNotices({
      calls: running,
      isInSight: () => view.isVisible && vscode.window.state.focused,
    }),
    new DeadlineWarnings({
      calls: running,
      cancel: (callId) => commands.cancel(callId),
      ask: (sentence, ...buttons) => vscode.window.showWarningMessage(sentence, ...buttons),
      say: showStatus,
    }),
  );
}

function createCallList({
  running,
  registry,
  results,
  past,
  drafts,
}: ActivityPartsOptions): CallList {
  return new CallList({
    running,
    history: past.history,
    hasDocuments: (callId) => results.has(callId),
    argumentsOf: (callId) => past.argumentsOfRunning(callId),
    isSigningIn: (id) => isSigningIn(registry, id),
    drafts,
    argumentsOfDraft: (draft, schema) => past.argumentsOfDraft(draft, schema),
  });
}
