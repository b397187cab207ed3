import * as l10n from '@vscode/l10n';
import { isDeeperThan } from '../core/parse/parsers';
import { Emitter } from 'vscode-jsonrpc/node';
import type { CancellationToken, Disposable, Uri } from 'vscode';
import type {
  ApiCall,
  CallOutcome,
  ExactNumber,
  ServerSnapshot,
  ToolgateApi,
  ToolSnapshot,
} from '../api';
import { copyContent } from '../core/content/wireResult';
import { RawJson } from '../core/json/rawJson';
import { isContainer, isObject } from '../core/json/shapes';
import {
  exactNumber,
  toExactNumber,
  numberOf,
  type WrittenNumber,
} from '../core/json/writtenNumber';
import { ownCopy } from '../core/json/ownCopy';
import type { ToolResult } from '../core/types';
import type * as host from '../host/calls/call';
import { withStructuredValue } from '../host/calls/outcomeValue';
import type { Gate } from '../host/calls/gate';
import type { ServerRegistry } from '../host/connections/registry';
import type { Server, ToolEntry } from '../host/connections/snapshot';
import { decisionFacts } from '../host/journal/decisionFacts';
import { formatDecision } from './format/formatDecision';
import { errorSentence } from './format/sentences';
import {
  configProblemSentence,
  garbageSentence,
  listProblemSentence,
  formatSource,
} from './format/sentencesOfProblems';
import { withSafePreviews } from './results/markdownPreview';
import { uncheckedSentence } from './results/resultOverview';
import { toolTitle } from './format/toolTitle';

interface ExtensionApiOptions {
  readonly registry: ServerRegistry;
  readonly gate: Gate;
  readonly results: {
    /** Stores an outcome as a document without showing it. Returns `undefined` if it has none. */
    keep(outcome: host.CallOutcome): Promise<Uri | undefined>;
    /**
     * Returns a function that creates its document later, or `undefined` if it must be stored now.
     */
    keepLater(outcome: host.CallOutcome): (() => Uri) | undefined;
  };
}

/**
 * The API for other extensions, over the same registry and gate as the UI. Snapshots are copies, so
 * a caller cannot change anything by editing them.
 */
export class ExtensionApi implements ToolgateApi, Disposable {
  readonly version = 1;
  /**
   * VS Code's Markdown preview calls it, because the manifest declares it. It is not for other
   * callers.
   */
  readonly extendMarkdownIt = withSafePreviews;
  readonly #options: ExtensionApiOptions;
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: ExtensionApiOptions) {
    this.#options = options;
    this.#subscription = options.registry.onDidChange(() => this.#onDidChange.fire());
  }

  get servers(): readonly ServerSnapshot[] {
    return this.#options.registry.servers.map(toServerSnapshot);
  }

  async start(serverId: string): Promise<ServerSnapshot> {
    return toServerSnapshot(await this.#options.registry.start(serverId));
  }

  exactNumber(json: string): ExactNumber {
    return exactNumber(json);
  }

  stop(serverId: string): Promise<void> {
    return this.#options.registry.stop(serverId);
  }

  async callTool(call: ApiCall, token?: CancellationToken): Promise<CallOutcome> {
    const { registry, gate, results } = this.#options;
    const request: host.CallRequest = {
      server: call.server,
      tool: call.tool,
      ...(call.arguments === undefined ? {} : { arguments: ownArguments(call.arguments) }),
      origin: 'api',
    };
    const outcome = await gate.call(request, { token });
    const label = registry.find(request.server)?.config.label ?? request.server;
    const later = results.keepLater(outcome);
    if (later !== undefined)
      return withDocument(await toApiOutcome(label, outcome, undefined), later);
    const document = await results.keep(outcome);
    const given = await toApiOutcome(label, outcome, document);
    return valueOf(outcome) instanceof RawJson
      ? withOwnValue(given, valueOf(await withStructuredValue(outcome, heldNumberOf)))
      : given;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }
}

/** Returns a JavaScript number if it is exact. */
function heldNumberOf(text: string): number | WrittenNumber {
  const number = numberOf(text);
  return typeof number === 'object' ? toExactNumber(number) : number;
}

/**
 * A byte array has as many members as bytes, so it is passed on as it is and the gate refuses it.
 */
function ownArguments(given: object): Readonly<Record<string, unknown>> {
  return isObject(given) && !isContainer(given) ? given : { ...given };
}

/** Tools and schemas are copied only when they are read, because there may be 20,000 of them. */
function toServerSnapshot(server: Server): ServerSnapshot {
  const { config, state } = server;
  let tools: readonly ToolSnapshot[] | undefined;
  return {
    id: config.id,
    label: config.label,
    source: formatSource(config.source),
    state: state.kind,
    ...(state.kind === 'failed' ? { error: errorSentence(config.label, state.error) } : {}),
    ...(state.kind === 'running' ? { revision: state.revision } : {}),
    ...(state.kind === 'running' && state.pid !== undefined ? { pid: state.pid } : {}),
    get tools() {
      return (tools ??= server.tools
        .filter(({ tool, isDisabled }) => tool.callable && isDisabled !== true)
        .map(toToolSnapshot));
    },
    problems: [
      ...server.configProblems.map(configProblemSentence),
      ...server.listProblems.map((problem) => listProblemSentence(config.label, problem)),
      ...(server.garbageLines > 0 ? [garbageSentence(config.label, server.garbageLines)] : []),
    ],
  };
}

function toToolSnapshot({ tool, risk }: ToolEntry): ToolSnapshot {
  const { level, openWorld, idempotent, basis } = risk;
  let inputSchema: object | undefined;
  let outputSchema: object | boolean | undefined;
  const { inputSchema: input, outputSchema: output } = tool;
  const snapshot = {
    name: tool.name,
    title: toolTitle(tool),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    risk: { level, openWorld, idempotent, basis },
  };
  addLazyMember(snapshot, lazyInputSchema, () => (inputSchema ??= structuredClone(input)));
  if (output === undefined) return snapshot;
  addLazyMember(snapshot, lazyOutputSchema, () => (outputSchema ??= structuredClone(output)));
  return snapshot;
}

async function toApiOutcome(
  label: string,
  outcome: host.CallOutcome,
  document: Uri | undefined,
): Promise<CallOutcome> {
  const { kind, durationMs } = outcome;
  if (kind === 'cancelled') return { kind, durationMs };
  if (kind === 'denied') {
    // A refusal by the user needs no reason; a rule has one.
    if (outcome.decision === undefined) return { kind, durationMs };
    const message = formatDecision(decisionFacts(outcome.decision));
    return { kind, durationMs, error: { code: 'denied', message } };
  }
  if (kind === 'failed') {
    return {
      kind,
      durationMs,
      error: { code: outcome.error.code, message: errorSentence(label, outcome.error) },
      problems: outcome.violations.map(toLine),
    };
  }
  const { content, structuredContent } = outcome.result;
  const isTooDeep =
    isDeeperThan(maxAnswerLevels, content) || isDeeperThan(maxAnswerLevels, structuredContent);
  return {
    kind,
    durationMs,
    content: isTooDeep ? [] : await copyContent(content),
    // A value that is stored as text is parsed only when it is read.
    ...(structuredContent === undefined || isTooDeep || structuredContent instanceof RawJson
      ? {}
      : { structuredContent: ownCopy(structuredContent) }),
    problems: [
      ...outcome.violations.map(toLine),
      ...(outcome.schemaError === undefined ? [] : [uncheckedSentence(outcome.schemaError)]),
      ...(isTooDeep ? [l10n.t('The result is nested too deeply to pass on.')] : []),
    ],
    ...(document === undefined ? {} : { document }),
  };
}

/** The document is created when it is read, because most callers read only the content. */
function withDocument(given: CallOutcome, make: () => Uri): CallOutcome {
  addLazyMember(given, lazyDocument, make);
  return given;
}

/** A member of many objects whose value is made when it is read. */
interface LazyMember<Name extends string> {
  readonly name: Name;
  readonly maker: symbol;
  readonly descriptor: PropertyDescriptor;
}

const lazyDocument = lazyMember('document');
const lazyInputSchema = lazyMember('inputSchema');
const lazyOutputSchema = lazyMember('outputSchema');

/**
 * All objects share one getter: V8 makes a hidden class for each object that has a getter of its own,
 * and keeps it, with everything that the getter holds, until the next full collection.
 */
function lazyMember<Name extends string>(name: Name): LazyMember<Name> {
  const maker = Symbol(name);
  const get = function (this: object): unknown {
    const make: unknown = Reflect.get(this, maker);
    return typeof make === 'function' ? make() : undefined;
  };
  return { name, maker, descriptor: { enumerable: true, get } };
}

function addLazyMember<T extends object, Name extends string, Value>(
  object: T,
  { name, maker, descriptor }: LazyMember<Name>,
  make: () => Value,
): asserts object is T & { readonly [Key in Name]: Value } {
  Object.defineProperty(object, maker, { value: make });
  Object.defineProperty(object, name, descriptor);
}

/** Structures of some thousand levels cannot be copied. */
const maxAnswerLevels = 1_000;

function valueOf(outcome: host.CallOutcome): ToolResult['structuredContent'] {
  const isResult = outcome.kind === 'result' || outcome.kind === 'toolError';
  return isResult ? outcome.result.structuredContent : undefined;
}

/** @param value created only for this caller, so that it needs no copy */
function withOwnValue(given: CallOutcome, value: ToolResult['structuredContent']): CallOutcome {
  if (!(value instanceof RawJson)) return { ...given, structuredContent: value };
  return { ...given, problems: [tooManySentence(value), ...(given.problems ?? [])] };
}

function tooManySentence({ values }: RawJson): string {
  return l10n.t(
    'The structured content has too many values ({0}). The result document contains all of them.',
    values,
  );
}

function toLine({ pointer, message }: { pointer: string; message: string }): string {
  return pointer === '' ? message : `${pointer}: ${message}`;
}
