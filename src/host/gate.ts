import { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../core/client';
import { McpError, toMcpError } from '../core/errors';
import type { SchemaValidator } from '../core/schema/schema';
import type { JsonObject, SchemaViolation, ToolResult } from '../core/types';
import type { CallDecision, CallOutcome, CallQuestion, CallRequest } from './call';
import { settleArguments, UnsendableArguments } from './callArguments';
import { orCancelled } from '../core/rpc/cancellation';
import { isSameTool } from './connections/connectionTools';
import type { ServerRegistry } from './connections/registry';
import type { ServerConfig } from './configuration/serverConfig';
import type { ToolEntry } from './connections/snapshot';

export interface GateOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'client'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** Asks the person. Whatever is not `run` means no; when it rejects, nothing is sent. */
  readonly confirm: (question: CallQuestion, token: CancellationToken) => Promise<CallDecision>;
  readonly callTimeoutMs: () => number;
}

/** The tool and the run of its server at one moment. */
interface Target {
  readonly config: ServerConfig;
  readonly client: McpClient;
  readonly entry: ToolEntry;
}

/**
 * The only door to `tools/call`: the tool as it is now, valid arguments, a yes of the person to
 * exactly these, and only then the call. Whoever wants to call a tool comes through here.
 */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Never rejects: the outcome says how it went. */
  async call(
    request: CallRequest,
    token: CancellationToken = CancellationToken.None,
  ): Promise<CallOutcome> {
    try {
      return await this.#pass(request, token);
    } catch (thrown) {
      // Nothing was sent: from sending on, #send turns every error into an outcome itself.
      return toOutcome(toMcpError(thrown), 0);
    }
  }

  async #pass(request: CallRequest, token: CancellationToken): Promise<CallOutcome> {
    const target = this.#find(request);
    const settled = settleArguments(request.arguments);
    // Absent arguments are judged as none: a tool that needs some must not be asked about.
    const verdict = this.#options.validator.validate(
      target.entry.tool.inputSchema,
      settled.value ?? {},
    );
    if (verdict.kind === 'invalid') {
      const error = new McpError('invalidArguments');
      return { kind: 'failed', error, violations: verdict.violations, durationMs: 0 };
    }
    const question: CallQuestion = Object.freeze({
      config: target.config,
      entry: target.entry,
      arguments: settled.value,
      argumentsJson: settled.json,
      origin: request.origin,
      // A schema that cannot be used is the server's fault; the person decides, knowing it.
      ...(verdict.kind === 'unusable' ? { schemaProblem: verdict.reason.detail } : {}),
    });
    const decision = await this.#ask(question, token);
    if (decision !== 'run') return { kind: 'denied', durationMs: 0 };
    this.#confirmUnchanged(request, target);
    return this.#send(target, settled.value, request, token);
  }

  /** @throws {McpError} unknownServer | notRunning | unknownTool | unusableTool */
  #find({ server: id, tool: name }: CallRequest): Target {
    const server = this.#options.registry.find(id);
    if (server === undefined) throw new McpError('unknownServer', { detail: id });
    const client = this.#options.registry.client(id);
    // Of several with one name the list marks all but one as not callable.
    const named = server.tools.filter((entry) => entry.tool.name === name);
    const entry = named.find(({ tool }) => tool.callable);
    if (entry !== undefined) return { config: server.config, client, entry };
    throw new McpError(named.length > 0 ? 'unusableTool' : 'unknownTool', { detail: name });
  }

  async #ask(question: CallQuestion, token: CancellationToken): Promise<CallDecision> {
    if (token.isCancellationRequested) throw new McpError('cancelled');
    // A modal dialog cannot be taken back; whoever answers it later answers nobody.
    const decision = await orCancelled(this.#options.confirm(question, token), token);
    if (token.isCancellationRequested) throw new McpError('cancelled');
    return decision;
  }

  /**
   * What was confirmed must be what is called: while the person read, the server may have ended,
   * started anew, or changed the tool.
   * @throws {McpError} connectionClosed | toolChanged | any code of `#find`
   */
  #confirmUnchanged(request: CallRequest, confirmed: Target): void {
    const now = this.#find(request);
    if (now.client !== confirmed.client) throw new McpError('connectionClosed');
    if (!isSameTool(now.entry.tool, confirmed.entry.tool)) {
      throw new McpError('toolChanged', { detail: request.tool });
    }
  }

  async #send(
    { client, entry }: Target,
    value: JsonObject | undefined,
    { onProgress, onSending }: CallRequest,
    token: CancellationToken,
  ): Promise<CallOutcome> {
    onSending?.();
    const sentAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - sentAt);
    try {
      const result = await client.callTool(entry.tool.name, value, {
        token,
        timeoutMs: this.#options.callTimeoutMs(),
        ...(onProgress === undefined ? {} : { onProgress }),
      });
      return this.#judge(entry, result, elapsedMs());
    } catch (thrown) {
      return toOutcome(toMcpError(thrown), elapsedMs());
    }
  }

  /** The result with what is wrong about it; an odd result is still shown. */
  #judge(entry: ToolEntry, result: ToolResult, durationMs: number): CallOutcome {
    const { outputSchema } = entry.tool;
    const outcome = {
      kind: result.isError ? ('toolError' as const) : ('result' as const),
      result,
      violations: noViolations,
      missingStructuredContent: false,
      entry,
      durationMs,
    };
    if (result.isError || outputSchema === undefined) return outcome;
    if (result.structuredContent === undefined) {
      return { ...outcome, missingStructuredContent: true };
    }
    const verdict = this.#options.validator.validate(outputSchema, result.structuredContent);
    if (verdict.kind === 'invalid') return { ...outcome, violations: verdict.violations };
    if (verdict.kind === 'unusable') return { ...outcome, schemaError: verdict.reason.detail };
    return outcome;
  }
}

const noViolations: readonly SchemaViolation[] = [];

function toOutcome(error: McpError, durationMs: number): CallOutcome {
  if (error.code === 'cancelled') return { kind: 'cancelled', durationMs };
  const violations = error instanceof UnsendableArguments ? error.violations : noViolations;
  return { kind: 'failed', error, violations, durationMs };
}
