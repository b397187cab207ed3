import path from 'node:path';
import * as vscode from 'vscode';
import type { DisabledItems } from '../host/configuration/toolChoices';
import { LastTools, LastToolsFolder } from '../host/lastTools/lastTools';
import type { AuthorizationParts } from './authorizationParts';
import type { ConsentParts } from './consentParts';
import type { RecordingParts } from './recordingParts';
import type { SecretParts } from './secretParts';
import type { CallHistory } from '../ui/activity/callHistory';
import type { AnswerPages } from '../ui/answerPage/answerPages';
import { Definitions, registerDefinitionCommand } from '../ui/definitions/definitions';
import type { Results } from '../ui/results/results';
import type { SettingsReader } from '../ui/settings/settings';
import { Diagnose } from '../ui/diagnosis/diagnose';
import { DevWatch } from '../ui/servers/devWatch';
import { registerServerCommands, type ServerCommandsOptions } from '../ui/servers/serverCommands';
import type { ServerProcesses } from '../ui/servers/serverProcesses';
import { StartWithWindow } from '../ui/servers/startWithWindow';
import {
  type PromptLists,
  type ResourceConnection,
  type ResourceEntry,
  resourceKind,
  type ResourceLists,
  ServerLists,
  type SkillLists,
} from '../host/resources/serverLists';
import { LiveDocuments } from '../ui/resources/liveDocuments';
import { registerResourceCommands } from '../ui/resources/resourceCommands';
import type { RunningCalls } from '../host/calls/runningCalls';
import { registerKeyboardHelp } from '../ui/editor/keyboardHelp';
import { ContextKeys, WalkthroughProgress } from '../ui/tree/contextKeys';
import { registerRowDecorations } from '../ui/tree/rowDecorations';
import { registerFilterCommands } from '../ui/tree/filterCommands';
import { ServerTreeView, type ServerTreeViewOptions } from '../ui/tree/serverTreeView';
import { ToolFilterState } from '../ui/tree/toolFilterState';
import { ToolPresses } from '../ui/tree/toolPresses';

export interface ServerPartsOptions
  extends ServerCommandsOptions, Pick<ServerTreePartsOptions, 'toolSets' | 'running'> {
  readonly context: vscode.ExtensionContext;
  readonly settings: SettingsReader;
  readonly processes: ServerProcesses;
  readonly secrets: SecretParts;
  readonly authorization: Pick<AuthorizationParts, 'signIns'>;
  readonly results: Pick<Results, 'resources'>;
  readonly pages: Pick<AnswerPages, 'serve'>;
  readonly consent: Pick<
    ConsentParts,
    'pins' | 'skillPins' | 'serverTrust' | 'trustQuestions' | 'overrides'
  >;
  readonly disabled: DisabledItems;
  readonly recording: RecordingParts;
  readonly past: Pick<CallHistory, 'history'>;
  readonly prompts: PromptLists;
  readonly skills: SkillLists;
}

/** The view of servers, their commands, and their automatic starts. */
export class ServerParts {
  /** The last tools of stopped servers. */
  readonly lastTools: LastTools;
  readonly #options: ServerPartsOptions;
  readonly #resourceLists: ResourceLists;

  readonly #onDidRestartWatched = new vscode.EventEmitter<string>();
  /** Fires when a server restarted because a watched file changed. */
  readonly onDidRestartWatched = this.#onDidRestartWatched.event;

  constructor(options: ServerPartsOptions) {
    const { context, registry, consent, disabled, logs } = options;
    this.#options = options;
    this.#resourceLists = new ServerLists<ResourceEntry, ResourceConnection>(
      registry,
      resourceKind,
    );
    this.lastTools = new LastTools({
      folder: new LastToolsFolder(path.join(context.globalStorageUri.fsPath, 'last-tools')),
      registry,
      riskOf: (config, tool) => consent.overrides.riskOf(config, tool),
      isToolDisabled: (config, name) => disabled.isToolDisabled(config, name),
      onProblem: (detail) => logs.extension.warn(`What servers listed is not kept: ${detail}`),
    });
  }

  /** @param dropFiles handles files that are dropped onto the row of a tool */
  register(dropFiles: ServerTreePartsOptions['dropFiles']): vscode.Disposable {
    const options = this.#options;
    const { lastTools } = this;
    const { registry, actions, disabled, past, recording, secrets } = options;
    const { pins, skillPins, serverTrust, trustQuestions, overrides } = options.consent;
    const processes = options.processes.forTree((id) => actions.start(id));
    const { resources } = options.results;
    const resourceLists = this.#resourceLists;
    const lists = { resources: resourceLists, prompts: options.prompts, skills: options.skills };
    const { history } = past;
    const opensPages = () => options.settings.current.opensPages;
    const definitions = new Definitions({ ...options, lastTools, pins, history, opensPages });
    const shown = { pins, skillPins, processes, lastTools, dropFiles };
    return vscode.Disposable.from(
      lastTools,
      ...[overrides, disabled].map((one) => one.onDidChange(() => lastTools.reassess())),
      definitions.register(),
      this.#onDidRestartWatched,
      registerDefinitionCommand({ ...options, lastTools, history, definitions }),
      new Diagnose({
        ...options,
        forRuns: {
          inputs: secrets.questions,
          redact: (text) => secrets.redact(text),
          holdSecrets: secrets.holdSecrets,
          signInOf: (...server) => options.authorization.signIns.forDiagnosis(...server),
        },
        secretValues: secrets.values,
        trustQuestions,
      }).register(),
      resourceLists,
      new LiveDocuments({ registry, resources }),
      registerResourceCommands({ registry, resources, lists: resourceLists }),
      registerServerTree({ ...options, ...shown, lists }),
      registerServerCommands(options),
      recording.register(options),
      new StartWithWindow({ ...options, trust: serverTrust }),
      this.#devWatch(),
    );
  }

  #devWatch(): vscode.Disposable {
    const options = this.#options;
    return new DevWatch({
      ...options,
      trust: options.consent.serverTrust,
      logOf: (config) => options.logs.of(config),
      onRestarted: (id) => this.#onDidRestartWatched.fire(id),
    });
  }
}

interface ServerTreePartsOptions extends Omit<
  ServerTreeViewOptions,
  'filter' | 'grouping' | 'walkthrough' | 'memento'
> {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState'>;
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  readonly running: Pick<RunningCalls, 'onDidEnd'>;
}

/** Registers the view of servers and tools, its filter, and their context keys. */
function registerServerTree(options: ServerTreePartsOptions): vscode.Disposable {
  const { context, registry, settings: grouping } = options;
  const filter = new ToolFilterState(context.workspaceState);
  const walkthrough = new WalkthroughProgress(options.running);
  const memento = context.workspaceState;
  const view = new ServerTreeView({ ...options, filter, grouping, walkthrough, memento });
  const commands = vscode.Disposable.from(
    registerFilterCommands(filter, view),
    new ToolPresses({ selection: () => view.selection, settings: grouping }).register(),
  );
  const decorations = vscode.Disposable.from(registerRowDecorations(), registerKeyboardHelp());
  const keys = new ContextKeys(registry, filter, undefined, walkthrough);
  return vscode.Disposable.from(filter, view, commands, keys, walkthrough, decorations);
}
