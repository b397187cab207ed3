import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { SchemaValidator } from './core/schema/schema';
import { AgentDrafts } from './host/agents/agentDrafts';
import { ToolSets } from './host/agents/toolSets';
import type { CallOutcome } from './host/calls/call';
import { RunningCalls } from './host/calls/runningCalls';
import { Gate } from './host/calls/gate';
import { ClientProfiles } from './host/configuration/clientProfiles';
import { DisabledItems, TaskChoices } from './host/configuration/toolChoices';
import { RememberedResources } from './host/resources/serverLists';
import { ServerRegistry } from './host/connections/registry';
import { registerActivity } from './parts/activityParts';
import { registerAgents } from './parts/agentParts';
import { AuthorizationParts } from './parts/authorizationParts';
import { registerWrittenCalls } from './parts/writtenCallParts';
import { PromptParts } from './parts/promptParts';
import { connectionParts } from './parts/connectionParts';
import { ToolSetCommand, ToolSetStatus } from './ui/agents/toolSetCommand';
import { CallHistory } from './ui/activity/callHistory';
import { RunAllQuestions } from './ui/callFiles/runAllQuestions';
import { ConfigurationParts } from './parts/configurationParts';
import { CallToolCommand } from './ui/calls/callToolCommand';
import { confirmInWindow, modalOfWindow } from './ui/calls/callDialog';
import { CallReviews } from './ui/calls/confirmReview';
import { registerConsentCommands } from './parts/consentCommandParts';
import { ConsentParts } from './parts/consentParts';
import type { Inactive, Active } from './ui/activation/inactive';
import { ExtensionApi } from './ui/extensionApi';
import { RecordingParts } from './parts/recordingParts';
import { SecretParts } from './parts/secretParts';
import { ServerActions } from './ui/servers/serverActions';
import { earlierCalls } from './ui/journal/earlierCalls';
import { ServerLogs } from './ui/servers/serverLogs';
import { ServerParts } from './parts/serverParts';
import { SkillParts } from './parts/skillParts';
import { TaskParts } from './parts/taskParts';
import { ServerProcesses } from './ui/servers/serverProcesses';
import { isWindowFocused } from './ui/activity/taskNotices';
import { AnswerPages } from './ui/answerPage/answerPages';
import { Results } from './ui/results/results';
import { ResultsOnDisk } from './ui/results/resultsOnDisk';
import { SettingsReader } from './ui/settings/settings';

export { readFirst } from './parts/configurationParts';
/**
 * Creates every object of the extension, each from earlier ones. Starts no server and waits for
 * none. If two objects need each other, the later one is passed to a method of the earlier one.
 */
export function createExtension(context: vscode.ExtensionContext, inactive: Inactive): Active {
  inactive.stubs.dispose();
  const own = <T extends { dispose(): void }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };

  // Base objects: secrets, logs, settings, processes.
  const secrets = new SecretParts(context);
  const { values } = secrets;
  const logs = own(new ServerLogs(values));
  const logOf = (id: string) => logs.ofId(id);
  const log = logs.extension;
  const settings = own(new SettingsReader(log));
  const processes = new ServerProcesses(process.env, context, settings, log);
  const recording = new RecordingParts(context, logs, values);
  const validator = new SchemaValidator();

  // Consent and sign-in.
  const consent = own(new ConsentParts({ context, settings, log, values }));
  const { acts, serverTrust, trustQuestions } = consent;
  const authorization = own(new AuthorizationParts({ context, values, acts, logOf, settings }));
  const { occasions } = authorization;

  // Servers and their connections.
  const { workspaceState } = context;
  const disabled = own(new DisabledItems(workspaceState));
  const taskChoices = own(new TaskChoices(workspaceState));
  const profiles = own(new ClientProfiles(workspaceState));
  const drafts = own(new AgentDrafts());
  const running = own(new RunningCalls((id) => drafts.find(id) !== undefined));
  const registry = own(
    new ServerRegistry({
      isTrusted: () => vscode.workspace.isTrusted,
      approve: (config, token) => trustQuestions.ask([config], token),
      riskOf: (config, tool) => consent.overrides.riskOf(config, tool),
      logOf,
      inputs: secrets.questions,
      redact: (text) => secrets.redact(text),
      holdSecrets: secrets.holdSecrets,
      restarts: processes.restartsFor(serverTrust),
      disabled,
      taskChoices,
      profiles,
      signIns: authorization.states,
      recordings: recording.recordings,
      connect: connectionParts({
        context,
        processes,
        settings,
        validator,
        authorization,
        logOf,
        running,
        profiles,
      }),
    }),
  );
  consent.follow(registry);
  own(secrets.register(registry));
  const toolSets = own(new ToolSets(settings, workspaceState));
  own(new ToolSetStatus(toolSets));
  own(new ToolSetCommand({ sets: toolSets, registry }).register());
  const actions = new ServerActions(
    registry,
    trustQuestions,
    () => processes.startsOnUse(),
    occasions,
  );
  own(authorization.register({ registry, actions }));
  const configuration = new ConfigurationParts({
    context,
    registry,
    actions,
    disabled,
    profiles,
    recording,
    secrets,
    processes,
    settings,
    logs,
    onDidOpenLink: inactive.onDidOpenLink,
    environment: { userHome: homedir(), env: process.env },
  });
  own(configuration.register());
  const skills = own(new SkillParts(registry, consent.skillPins));
  const forConsent = { consent, registry, actions, secrets, skills: skills.pins };
  own(registerConsentCommands(forConsent));

  // The gate, with the history, the journal and the tasks of calls.
  const past = own(new CallHistory({ context, settings, log, values, running }));
  const journal = past.alsoRecordIn(consent.recorder);
  const tasks = own(
    new TaskParts({
      context,
      taskChoices,
      registry,
      running,
      past,
      journal,
      validator,
      authorization,
    }),
  );
  const reviews = own(new CallReviews((question) => earlierCalls(consent.journal, question)));
  const lists = own(new RunAllQuestions(modalOfWindow));
  const dialog = confirmInWindow({ reviews, rules: consent.rulesFromCalls, lists });
  const gate = new Gate({
    registry,
    validator,
    journal,
    consent: consent.consent,
    confirm: (question, token) => dialog.confirm(question, token),
    calls: running,
    tasks: tasks.keeper,
    isWatched: isWindowFocused,
    limits: () => settings.current,
  });

  // Results of calls.
  const spool = own(new ResultsOnDisk(context, settings, log));
  const results = own(
    new Results({
      registry,
      spool,
      argumentsOf: (callId) => past.argumentsOf(callId),
      restore: (documents) => past.restore(documents),
      onMade: (callId, documents) => past.documentsMade(callId, documents),
      remembered: new RememberedResources(workspaceState, (text) => values.redact(text)),
      budgetBytes: settings.current.resultBudgetBytes,
      opensTables: () => settings.current.opensTables,
      opensPages: () => settings.current.opensPages,
      startServer: (id) => actions.start(id),
      skills: skills.checks,
      filters: {
        program: vscode.Uri.joinPath(context.extensionUri, 'dist', 'filterJson.js').fsPath,
        memory: workspaceState,
        redact: (text) => values.redact(text),
      },
    }),
  );
  past.follow(results);
  own(results.register());
  own(skills.register(results));
  const pages = new AnswerPages({ results, extensionUri: context.extensionUri });
  own(pages.register());
  own(settings.onDidChange((changed) => results.setBudget(changed.resultBudgetBytes)));

  const showOutcome = (_: unknown, outcome: CallOutcome) => results.show(outcome);
  const prompts = own(
    new PromptParts({
      registry,
      actions,
      validator,
      occasions,
      showOutcome,
      running,
      past,
      consent,
      settings,
    }),
  );

  // Where calls are made: the view, the palette, call files, past calls; agents and extensions.
  const servers = new ServerParts({
    context,
    registry,
    actions,
    logs,
    settings,
    processes,
    recording,
    toolSets,
    secrets,
    consent,
    authorization,
    results,
    running,
    pages,
    disabled,
    past,
    prompts: prompts.lists,
    skills: skills.lists,
  });
  const { lastTools, onDidRestartWatched } = servers;
  const calls = own(
    new CallToolCommand({
      registry,
      actions,
      validator,
      gate,
      occasions,
      showOutcome,
      reviews,
      lastTools,
      secrets,
      toolSets,
      consent,
      past,
    }),
  );
  dialog.editArgumentsBy((question, token) => calls.editArguments(question, token));
  own(calls.register());
  own(servers.register((files) => calls.drop(files)));
  own(
    registerWrittenCalls({
      context,
      registry,
      actions,
      validator,
      gate,
      occasions,
      showOutcome,
      questions: lists,
      prompts: prompts.reads,
      logs,
      past,
      results,
      spool,
      settings,
      secrets,
      onDidRestartWatched,
      onDidRequestTests: inactive.onDidRequestTests,
      env: process.env,
    }),
  );
  own(tasks.register());
  own(
    registerActivity({
      running,
      past,
      drafts,
      registry,
      actions,
      calls,
      prompts: prompts.commands,
      results,
      settings,
    }),
  );
  own(
    registerAgents({
      context,
      registry,
      gate,
      occasions,
      consent,
      configuration,
      settings,
      toolSets,
      processes,
      secrets,
      logs,
      results,
      drafts,
      dialog,
      actions,
    }),
  );
  const api = own(new ExtensionApi({ registry, gate, results }));
  configuration.begin(inactive.configured);

  const stop = async (): Promise<void> => {
    await registry.stopAll();
    const written = [consent.journal, past.history, lastTools, recording.recordings];
    await Promise.all(written.map((one) => one.stop()));
    processes.dispose();
  };
  return { api, stop };
}
