import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toDrafts, type Drafts, textDrafts, typedDrafts } from '../../core/arguments/fieldDrafts';
import { planFields } from '../../core/arguments/inputFields';
import { indentedJson } from '../../core/arguments/argumentsText';
import type { SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallQuestion } from '../../host/calls/call';
import { isFromUser, type CallOrigin } from '../../host/consent/facts/callFacts';
import type { RuleBook } from '../../host/consent/rules/ruleBook';
import type { LastTools } from '../../host/lastTools/lastTools';
import type { AnswerValues } from '../../host/history/answerValues';
import type { History } from '../../host/history/history';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { commands, reviewScheme } from '../../ids';
import { ArgumentDocuments, type CallTarget } from '../arguments/argumentDocuments';
import { ArgumentEntry } from '../arguments/argumentEntry';
import { ArgumentMemory, lastArgumentsOf } from '../arguments/argumentMemory';
import { callableTool, isUserCall, type UserCallOptions } from './callableTool';
import { CallRunner, notifyDenied, requestFor, type CallRunnerOptions } from './callRunner';
import type { CallReviews, ReviewButton } from './confirmReview';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { toolTitle } from '../format/toolTitle';
import { isOwnArgument, commandTarget } from '../editor/ownArguments';
import type { ServerActions } from '../servers/serverActions';
import { type DroppedFiles, SendToTool } from './sendToTool';
import { type PickersOfCall, FocusPlaceholder } from '../picking/focusPlaceholder';
import { isStillValid } from '../picking/pickableTools';
import { LastArgumentsKey } from '../editor/picker';
import { pickToolToCall, type PickedTool, type ToolPickerOptions } from '../picking/toolPicker';
import type { InputQuestions } from '../secrets/inputQuestions';

interface CallToolCommandOptions extends CallRunnerOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers' | 'onDidChange'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll' | 'startForUse'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly reviews: Pick<CallReviews, 'press' | 'cancel'>;
  readonly gate: CallRunnerOptions['gate'] & UserCallOptions['gate'];
  readonly lastTools: Pick<LastTools, 'read' | 'of'>;
  /** Fires when a question that was asked while a server started is over. */
  readonly secrets: { readonly questions: Pick<InputQuestions, 'onDidAnswer'> };
  readonly toolSets?: NonNullable<ToolPickerOptions['toolSets']>;
  readonly consent: { readonly rules: Pick<RuleBook, 'denyingAlways'> };
  readonly past: {
    readonly history: Pick<History, 'lastOfEachTool' | 'read' | 'knownCalls'>;
    readonly answers: Pick<AnswerValues, 'find'>;
  };
}

/** Hints for changing arguments. */
export interface KnownArguments {
  /** Name of the argument that is most likely to be changed. */
  readonly likely?: string | undefined;
  /**
   * True to enter the arguments in fields if fields can express them. Defaults to false: then only
   * a single argument is entered in a field.
   */
  readonly inFields?: boolean;
}

interface Way {
  readonly hasBefore?: boolean;
  /** Initial values. Defaults to the values that were entered last time. */
  readonly known?: Drafts | undefined;
  readonly held?: PickersOfCall;
}

/** Chooses the tool and collects its arguments for a call through the gate. */
export class CallToolCommand implements vscode.Disposable {
  readonly #options: CallToolCommandOptions;
  readonly #runner: CallRunner;
  readonly #documents: ArgumentDocuments;
  readonly #entry: ArgumentEntry;
  readonly #memory: ArgumentMemory;
  readonly #send: SendToTool;
  readonly #held: FocusPlaceholder;
  readonly #lastKey = new LastArgumentsKey();

  constructor(options: CallToolCommandOptions) {
    const { registry, validator, past } = options;
    const memory = new ArgumentMemory(
      (serverId, toolName) => schemaOf(registry.find(serverId), toolName),
      (...tool) => lastArgumentsOf(past.history, ...tool),
    );
    this.#options = options;
    this.#held = new FocusPlaceholder(options.secrets.questions.onDidAnswer);
    this.#memory = memory;
    this.#runner = new CallRunner(options);
    this.#documents = new ArgumentDocuments({
      registry,
      validator,
      memory,
      run: (target, value) => this.#runner.run(requestFor(target, value)),
      isOwn: (target, value, isAnswer) => isUserCall(options, target, value, isAnswer),
    });
    this.#entry = new ArgumentEntry({
      validator,
      memory,
      documents: this.#documents,
      answers: past.answers,
    });
    this.#send = new SendToTool({
      registry,
      actions: options.actions,
      findTool: (serverId, toolName) => this.#findTool(serverId, toolName),
      call: (entry, known, origin) => this.#callWith(entry, known, origin),
    });
  }

  /**
   * Registers Call Tool…, Send to MCP Tool…, and the commands of documents that belong to calls.
   */
  register(): vscode.Disposable {
    const { registerCommand } = vscode.commands;
    const press = (id: string, what: ReviewButton) =>
      registerCommand(id, (argument: unknown) => this.#options.reviews.press(argument, what));
    return vscode.Disposable.from(
      this.#send.register(),
      this.#held.register(),
      this.#lastKey.register(),
      registerCommand(commands.callTool, (argument: unknown) => this.begin(argument)),
      registerCommand(commands.runArguments, (argument: unknown) => this.#runDocument(argument)),
      registerCommand(commands.cancelArguments, (argument: unknown) =>
        this.#cancelDocument(argument),
      ),
      registerCommand(commands.enterStepByStep, (argument: unknown) =>
        this.#enterSteps(documentUri(argument)),
      ),
      press(commands.allowCalls, 'allow'),
      press(commands.editCallArguments, 'edit'),
    );
  }

  /**
   * Starts from a row of the tree, or from a picker if there is no row. Resolves when the call is
   * over.
   */
  async begin(argument?: unknown): Promise<void> {
    const { serverId, toolName } = commandTarget(argument);
    const held = this.#held.begin();
    const findTool = (...tool: [string, string]) => this.#findTool(...tool, held);
    try {
      if (serverId !== undefined && toolName !== undefined) {
        const entry = await findTool(serverId, toolName);
        const origin = isOwnArgument(argument) ? 'tree' : 'command';
        if (entry !== undefined) await this.#call(entry, origin, { held });
        return;
      }
      const { past, ...options } = this.#options;
      const picking = { ...options, ...past, findTool, held, lastKey: this.#lastKey };
      for (;;) {
        const picked = await pickToolToCall(picking);
        if (picked === undefined || (await this.#callPicked(picked, held)) !== 'back') return;
      }
    } finally {
      this.#held.end(held);
    }
  }

  /**
   * Repeats a call that has ended, with the same arguments. It is confirmed like any other call.
   */
  async repeat(target: CallTarget, value: JsonObject | undefined): Promise<void> {
    const entry = await this.#findTool(target.serverId, target.toolName);
    if (entry !== undefined) await this.#run(target, entry, value);
  }

  /**
   * Starts with these arguments in a document, where a key moves from value to value and the likely
   * one is selected. A single field is asked for on its own, and secrets are entered on the page,
   * which masks them.
   */
  async change(
    target: CallTarget,
    known: JsonObject,
    { likely, inFields = false }: KnownArguments = {},
  ): Promise<void> {
    const { serverId, toolName } = target;
    const entry = await this.#findTool(serverId, toolName);
    if (entry === undefined || this.#isDenied(target, entry)) return;
    const { inputSchema } = entry.tool;
    const plan = planFields(inputSchema);
    const drafts = plan.kind === 'fields' ? toDrafts(plan.fields, known) : undefined;
    // Arguments that the schema does not name are shown, not dropped.
    const isNone = plan.kind === 'none' && Object.keys(known).length === 0;
    const isForPage = inFields || (plan.kind === 'fields' && plan.fields.length === 1);
    if ((drafts !== undefined && isForPage) || isNone) {
      await this.#enter(target, entry, { known: drafts });
    } else {
      await this.#entry.openDocument(target, inputSchema, known, likely);
    }
  }

  /**
   * Edits the arguments of a call before it is confirmed. Returns `undefined` if the user goes
   * back.
   */
  editArguments(
    { config, entry, argumentsJson, origin, isForeign }: CallQuestion,
    token: vscode.CancellationToken,
  ): Promise<JsonObject | undefined> {
    const whose = isForeign === true || !isFromUser(origin) ? ({ isForeign: true } as const) : {};
    const target = { serverId: config.id, toolName: entry.tool.name, origin, ...whose };
    return this.#documents.edit(target, indentedJson(argumentsJson), token);
  }

  /** Handles files that were dropped onto the row of a tool. */
  drop(files: DroppedFiles): Promise<void> {
    return this.#send.drop(files);
  }

  dispose(): void {
    this.#documents.dispose();
  }

  /** Calls as from the palette, with the known arguments filled in. */
  async #callWith(entry: ToolEntry, known: JsonObject, origin: CallOrigin): Promise<void> {
    const { serverId, tool } = entry;
    const target: CallTarget = { serverId, toolName: tool.name, origin };
    if (this.#isDenied(target, entry)) return;
    const drafts = textDrafts(tool.inputSchema, known);
    if (drafts !== undefined) {
      const before = await this.#memory.recall(serverId, tool.name);
      const others = before?.kind === 'drafts' ? before.drafts : [];
      this.#memory.set(serverId, tool.name, {
        kind: 'drafts',
        drafts: new Map([...others, ...drafts]),
      });
      await this.#call(entry, origin);
      return;
    }
    await this.#entry.openDocument(target, tool.inputSchema, known);
  }

  /**
   * Returns from a document to the page with the document's arguments, if fields can express them.
   */
  async #enterSteps(uri: vscode.Uri | undefined): Promise<void> {
    const read = uri && (await this.#documents.read(uri));
    if (uri === undefined || read === undefined) return;
    const { target, value } = read;
    const entry = await this.#findTool(target.serverId, target.toolName);
    if (entry === undefined || this.#isDenied(target, entry)) return;
    const plan = planFields(entry.tool.inputSchema);
    const drafts =
      plan.kind === 'fields' && value !== undefined ? toDrafts(plan.fields, value) : undefined;
    if (drafts === undefined) {
      notify('warning', l10n.t('These arguments cannot be shown as fields.'));
      return;
    }
    await this.#documents.cancel(uri);
    await this.#enter(target, entry, { known: drafts });
  }

  /**
   * Repeats the last arguments if they are still valid, because the page would only offer *Run*.
   * Otherwise it continues as from a row of the tree.
   */
  async #callPicked(
    { entry, last, typed }: PickedTool,
    held: PickersOfCall,
  ): Promise<'back' | undefined> {
    const { serverId, tool } = entry;
    if (typed.size > 0) {
      const known = await this.#withTyped(entry, typed);
      return this.#call(entry, 'palette', { held, hasBefore: true, known });
    }
    const isFit =
      last !== undefined && isStillValid(this.#options.validator, tool.inputSchema, last);
    if (!isFit) return this.#call(entry, 'palette', { held, hasBefore: true });
    held.release();
    await this.#run({ serverId, toolName: tool.name, origin: 'palette' }, entry, last);
    return undefined;
  }

  /** Returns the arguments that were typed in the picker, beside those of the last time. */
  async #withTyped(
    { serverId, tool }: ToolEntry,
    typed: ReadonlyMap<string, string>,
  ): Promise<Drafts | undefined> {
    const plan = planFields(tool.inputSchema);
    const fields = plan.kind === 'fields' ? plan.fields : [];
    const { drafts, unknown } = typedDrafts(fields, typed);
    if (unknown.length > 0) {
      const names = unknown.map(quoted).join(', ');
      notify('warning', l10n.t('“{0}” cannot take: {1}.', quoted(toolTitle(tool)), names));
    }
    if (drafts.size === 0) return undefined;
    const before = await this.#memory.recall(serverId, tool.name);
    return new Map([...(before?.kind === 'drafts' ? before.drafts : []), ...drafts]);
  }

  /** Resolves when the call is over, or with `back` if there was a previous step. */
  #call(entry: ToolEntry, origin: CallOrigin, way: Way = {}): Promise<'back' | undefined> {
    return this.#enter({ serverId: entry.serverId, toolName: entry.tool.name, origin }, entry, way);
  }

  async #enter(
    target: CallTarget,
    entry: ToolEntry,
    { hasBefore, known, held }: Way,
  ): Promise<'back' | undefined> {
    const { serverId } = target;
    // The gate denies a call without arguments, and records it.
    const asks = planFields(entry.tool.inputSchema).kind !== 'none';
    if (asks && this.#isDenied(target, entry)) return undefined;
    const label = this.#options.registry.find(serverId)?.config.label ?? serverId;
    const value = await this.#entry.enter(target, entry, label, hasBefore, known);
    held?.release();
    if (value === 'back') return value;
    if (value !== undefined) await this.#run(target, entry, value);
    return undefined;
  }

  /** Tells the user about a rule that makes entering arguments useless. */
  #isDenied({ serverId, origin }: CallTarget, entry: ToolEntry): boolean {
    const { registry, consent } = this.#options;
    const config = registry.find(serverId)?.config;
    const rule = config && consent.rules.denyingAlways({ config, entry, origin });
    if (rule === undefined) return false;
    notifyDenied(entry.tool.name, { effect: 'deny', cause: { kind: 'rule', rule } });
    return true;
  }

  async #run(
    target: CallTarget,
    { tool }: ToolEntry,
    value: JsonObject | undefined,
  ): Promise<void> {
    const outcome = await this.#runner.run(requestFor(target, value));
    if (outcome.kind !== 'failed' || outcome.error.code !== 'invalidArguments') return;
    // Fields are checked one by one. Violations of the whole are corrected in a document.
    await this.#entry.openDocument(target, tool.inputSchema, value ?? {});
  }

  #findTool(
    serverId: string,
    toolName: string,
    held?: PickersOfCall,
  ): Promise<ToolEntry | undefined> {
    return callableTool(this.#options, serverId, toolName, held);
  }

  async #runDocument(argument: unknown): Promise<void> {
    const uri = documentUri(argument);
    if (uri?.scheme === reviewScheme) await this.#options.reviews.press(argument, 'run');
    else if (uri !== undefined) await this.#documents.run(uri, argument instanceof vscode.Uri);
  }

  async #cancelDocument(argument: unknown): Promise<void> {
    const uri = documentUri(argument);
    if (uri?.scheme === reviewScheme) this.#options.reviews.cancel(argument);
    else if (uri !== undefined) await this.#documents.cancel(uri);
  }
}

/** The document of a lens or an editor title; otherwise, that of the active editor. */
function documentUri(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  return vscode.window.activeTextEditor?.document.uri;
}

function schemaOf(server: Server | undefined, toolName: string): JsonObject | undefined {
  return server?.tools.find(({ tool }) => tool.name === toolName)?.tool.inputSchema;
}
