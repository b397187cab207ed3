import type { CancellationToken } from 'vscode-jsonrpc/node';
import { checkArguments } from '../../core/arguments/checkArguments';
import type { McpClient } from '../../core/client';
import { isMcpError, McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';
import type { SchemaValidator } from '../../core/schema/schema';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ServerRegistry } from '../connections/registry';
import type { ToolEntry } from '../connections/snapshot';
import type { Consent } from '../consent/consent';
import type { CallFacts } from '../consent/facts/callFacts';
import type { CallQuestion, CallRequest } from './call';
import { freezeArguments, UnsendableArguments, type FrozenArguments } from './callArguments';

export interface CallEvaluationOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'client' | 'listAnnouncedTools'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly consent: Pick<Consent, 'evaluate' | 'offered'>;
}

/** The tool and the run of its server at one moment. */
export interface EvaluatedTarget {
  readonly config: ServerConfig;
  readonly client: McpClient;
  readonly entry: ToolEntry;
}

/** A call with its arguments, and the decision about it. */
export interface EvaluatedCall {
  readonly target: EvaluatedTarget;
  readonly settled: FrozenArguments;
  readonly facts: CallFacts;
  readonly question: CallQuestion;
}

/** Finds the tool of a call, validates its arguments, and obtains the decision. Sends nothing. */
export class CallEvaluation {
  readonly #options: CallEvaluationOptions;
  readonly #names = new ToolNames();

  constructor(options: CallEvaluationOptions) {
    this.#options = options;
  }

  /** @throws {McpError} what {@link find} throws | invalidArguments | cancelled */
  async evaluate(
    request: CallRequest,
    wanted: unknown,
    token: CancellationToken,
  ): Promise<EvaluatedCall> {
    const { consent, validator } = this.#options;
    const target = await this.#findListed(request, token);
    const settled = freezeArguments(wanted);
    // Absent arguments are validated as `{}`, so that a tool that requires some is not asked about.
    const value = settled.value ?? {};
    const { verdict, defaults } = checkArguments(validator, target.entry.tool.inputSchema, value);
    const violations = verdict.kind === 'invalid' ? verdict.violations : [];
    if (violations.length > 0 && request.isSentAsIs !== true)
      throw new UnsendableArguments(violations);
    const { config, entry } = target;
    const { origin, client, isForeign, fileValues = [], answers } = request;
    const given = { config, entry, arguments: value, origin, fileValues };
    const { facts, decision } = await raceCancellation(consent.evaluate(given), token);
    const question: CallQuestion = Object.freeze({
      config,
      entry: facts.entry,
      arguments: settled.value,
      argumentsJson: settled.json,
      origin,
      ...(client === undefined ? {} : { client }),
      ...(isForeign === undefined ? {} : { isForeign }),
      decision,
      ...taskOf(target),
      // Computed only if the user is asked.
      offered: decision.effect === 'ask' ? consent.offered(facts, decision) : [],
      // An unusable schema is the server's fault. The user is told and decides.
      ...(verdict.kind === 'unusable' ? { schemaProblem: verdict.reason.detail } : {}),
      ...(answers === undefined ? {} : { answers: answers.written }),
      ...(violations.length === 0 ? {} : { violations }),
      ...(defaults.length === 0 ? {} : { defaults }),
    });
    return { target, settled, facts, question };
  }

  /** Waits for a tool list that the server announced a moment ago. */
  async #findListed(request: CallRequest, token: CancellationToken): Promise<EvaluatedTarget> {
    try {
      return this.find(request);
    } catch (error) {
      if (!isMcpError(error, 'unknownTool')) throw error;
      await raceCancellation(this.#options.registry.listAnnouncedTools(request.server), token);
      return this.find(request);
    }
  }

  /** @throws {McpError} unknownServer | serverDisabled | notRunning | toolDisabled | unknownTool | unusableTool */
  find({ server: id, tool: name }: CallRequest): EvaluatedTarget {
    const server = this.#options.registry.find(id);
    if (server === undefined) throw new McpError('unknownServer', { detail: id });
    if (server.isDisabled === true) throw new McpError('serverDisabled');
    const client = this.#options.registry.client(id);
    const entry = this.#names.find(server.tools, name);
    if (entry === undefined) throw new McpError('unknownTool', { detail: name });
    if (!entry.tool.callable) throw new McpError('unusableTool', { detail: name });
    if (entry.isDisabled === true) throw new McpError('toolDisabled', { detail: name });
    return { config: server.config, client, entry };
  }
}

/** Index of tools by name. A changed list is another array. */
class ToolNames {
  readonly #known = new WeakMap<readonly ToolEntry[], ReadonlyMap<string, ToolEntry>>();

  /**
   * Returns the entry of this name. All but one of duplicate names are marked as not callable
   * (R-312).
   */
  find(entries: readonly ToolEntry[], name: string): ToolEntry | undefined {
    let known = this.#known.get(entries);
    if (known === undefined) this.#known.set(entries, (known = byName(entries)));
    return known.get(name);
  }
}

function byName(entries: readonly ToolEntry[]): ReadonlyMap<string, ToolEntry> {
  const found = new Map<string, ToolEntry>();
  for (const entry of entries) {
    const { name, callable } = entry.tool;
    if (found.get(name)?.tool.callable !== true && (callable || !found.has(name)))
      found.set(name, entry);
  }
  return found;
}

/** Returns true if the server runs the tool as a task only, or optionally and the user wants it. */
function taskOf({ config, client, entry }: EvaluatedTarget): Pick<CallQuestion, 'task'> {
  const isTask = entry.tool.taskSupport === 'required' || entry.taskChoice === 'task';
  if (!client.capabilities.taskCalls || !isTask) return {};
  return { task: config.transport.kind === 'stdio' ? 'endsWithWindow' : 'outlivesWindow' };
}
