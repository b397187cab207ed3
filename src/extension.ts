import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { SchemaValidator } from './core/schema/schema';
import { RunningCalls } from './host/calls/runningCalls';
import { Gate } from './host/calls/gate';
import { RememberedResources } from './host/resources/rememberedResources';
import { ServerRegistry } from './host/connections/registry';
import { ActivityParts } from './parts/activityParts';
import { AgentParts } from './parts/agentParts';
import { AuthorizationParts } from './parts/authorizationParts';
import { WrittenCallParts } from './parts/writtenCallParts';
import { connectionParts } from './parts/connectionParts';
import { CallHistory } from './ui/activity/callHistory';
import { RunAllQuestions } from './ui/callFiles/runAllQuestions';
import { ChoiceParts } from './parts/choiceParts';
import { ConfigurationParts } from './parts/configurationParts';
import { CallToolCommand, type CallToolCommandOptions } from './ui/calls/callToolCommand';
import { confirmInWindow } from './ui/calls/callDialog';
import type { EditArguments } from './ui/calls/confirm';
import { CallReviews } from './ui/calls/confirmReview';
import { ConsentCommandParts } from './parts/consentCommandParts';
import { ConsentParts } from './parts/consentParts';
import type { Asleep, Awake } from './ui/asleep/asleep';
import { ExtensionApi } from './ui/extensionApi';
import { RecordingParts } from './parts/recordingParts';
import { SecretParts } from './parts/secretParts';
import { ServerActions } from './ui/servers/serverActions';
import { earlierCalls } from './ui/journal/earlierCalls';
import { ServerLogs } from './ui/servers/serverLogs';
import { ToolSetParts } from './parts/toolSetParts';
import { ServerParts } from './parts/serverParts';
import { TaskParts } from './parts/taskParts';
import { ServerProcesses } from './ui/servers/serverProcesses';
import { Results } from './ui/results/results';
import { ResultsOnDisk } from './ui/results/resultsOnDisk';
import { SettingsReader } from './ui/settings/settings';

export { readFirst } from './parts/configurationParts';
/** Makes every object and joins them, as the arguments show. Starts no server and waits for none. */
export function makeEverything(context: vscode.ExtensionContext, asleep: Asleep): Awake {
  asleep.standIns.dispose();
  const own = <T extends { dispose(): void }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const secrets = new SecretParts(context);
  const logs = own(new ServerLogs(secrets.values));
  const settings = own(new SettingsReader(logs.extension));
  const processes = new ServerProcesses(process.env, context, settings, logs.extension);
  const { values } = secrets;
  const recording = new RecordingParts(context, logs, values);
  const logOf = (id: string) => logs.of(registry.find(id)?.config ?? { id, label: id });
  const validator = new SchemaValidator();
  const consent: ConsentParts = own(
    new ConsentParts(context, settings, logs.extension, () => registry.servers, secrets.values),
  );
  const { acts, allowAlways } = consent;
  const authorization = own(new AuthorizationParts({ context, values, acts, logOf, settings }));
  const { disabled, taskChoices, forRegistry } = own(new ChoiceParts(context));
  const running = own(new RunningCalls((id) => past.drafts.find(id) !== undefined));
  const reached = { context, processes, settings, validator, authorization, logOf, running };
  const registry: ServerRegistry = own(
    new ServerRegistry({
      isTrusted: () => vscode.workspace.isTrusted,
      approve: (config, token) => consent.serverTrust.questions.ask([config], token),
      riskOf: (config, tool) => consent.overrides.riskOf(config, tool),
      logOf,
      ...secrets.forRuns(),
      restarts: processes.restartsFor(consent.serverTrust.trust),
      ...forRegistry,
      signIns: authorization.states,
      recordings: recording.recordings,
      connect: connectionParts(reached),
    }),
  );
  own(secrets.register(registry));
  const stop = async (): Promise<void> => {
    await registry.stopAll();
    const written = [consent.journal, past.history, lastTools, recording.recordings];
    await Promise.all(written.map((one) => one.stop()));
    processes.dispose();
  };
  const reviews = own(new CallReviews((question) => earlierCalls(consent.journal, question)));
  const editArguments: EditArguments = (...question) => calls.editArguments(...question);
  const lists = own(new RunAllQuestions());
  const dialog = confirmInWindow({ reviews, editArguments, allowAlways, lists });
  const pathOf = (callId: string): string | undefined => results.pathOf(callId);
  const past: CallHistory = own(
    new CallHistory({ context, settings, log: logs.extension, values, running, pathOf }),
  );
  const journal = past.besides(consent.recorder);
  const common = { registry, validator, journal, taskChoices };
  const tasks = own(new TaskParts({ ...common, context, running, past, authorization }));
  const gate = new Gate({
    ...common,
    consent: consent.consent,
    confirm: (question, token) => dialog.confirm(question, token),
    calls: running,
    ...tasks.forGate,
    limits: () => settings.current,
  });
  const toolSets = own(new ToolSetParts(context, settings, registry)).sets;
  const [{ questions }, { occasions }] = [consent.serverTrust, authorization];
  const actions = new ServerActions(registry, questions, () => processes.startsOnUse(), occasions);
  own(authorization.register({ registry, actions }));
  const served = { context, registry, actions, logs, settings, processes, recording, toolSets };
  const parts = { ...served, secrets, consent, occasions };
  const configuration = new ConfigurationParts({
    ...parts,
    disabled,
    onDidOpenLink: asleep.onDidOpenLink,
    environment: { userHome: homedir(), env: process.env },
  });
  own(configuration.register());
  own(new ConsentCommandParts(parts).register());
  const spool = own(new ResultsOnDisk(context, settings, logs.extension));
  const results: Results = own(
    new Results({
      registry,
      spool,
      ...past.forResults(),
      remembered: new RememberedResources(context.workspaceState, (text) => values.redact(text)),
      budgetBytes: settings.current.resultBudgetBytes,
      opensTables: () => settings.current.opensTables,
      startServer: (id) => actions.start(id),
    }),
  );
  own(results.register());
  const serverParts = { ...parts, authorization, results, spool, running, disabled, past };
  const servers = new ServerParts({ ...serverParts, dropFiles: (to) => calls.drop(to) });
  own(servers.register());
  const { lastTools, onDidRestartWatched } = servers;
  own(settings.onDidChange((changed) => results.setBudget(changed.resultBudgetBytes)));
  const showOutcome: CallToolCommandOptions['showOutcome'] = (_, outcome) => results.show(outcome);
  const callOptions = { ...parts, validator, gate, showOutcome, lastTools };
  const callParts = { ...callOptions, ...asleep, onDidRestartWatched, questions: lists };
  const calls: CallToolCommand = own(new CallToolCommand({ ...callParts, reviews, past }));
  own(calls.register());
  own(new WrittenCallParts({ ...serverParts, ...callParts, env: process.env }).register());
  own(tasks.register());
  own(new ActivityParts({ running, past, registry, actions, calls, results, settings }).register());
  own(new AgentParts({ ...parts, configuration, gate, results, past, dialog }).register());
  const api = own(new ExtensionApi({ registry, gate, results }));
  configuration.begin(asleep.configured);
  return { api, stop };
}
