import type { Duplex } from 'node:stream';
import { assertNever } from '../core/errors';
import type { ConnectionLog } from '../core/log';
import { AgentAccess } from '../host/agents/agentAccess';
import { AgentBudget, agentBudgetLimits, AgentRateLimit } from '../host/agents/agentLimits';
import { AgentCalls, type AgentMessages } from '../host/agents/agentCall';
import { agentErrorLog } from '../host/agents/agentLogs';
import { serverPath } from '../host/agents/agentProtocol';
import { AgentTasks } from '../host/agents/agentTasks';
import { serveAgent } from '../host/agents/agentServer';
import { agentTransportLimits } from '../host/agents/agentTransport';
import { ToolListTexts } from '../host/agents/agentTools';
import type { CallOutcome } from '../host/calls/call';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { denialOf } from './denialMessages';
import { errorMessage, inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';

export interface GatewayCommandOptions {
  readonly session: CliSession;
  readonly output: CliOutput;
  readonly version: string;
  readonly log: ConnectionLog;
  /** The stream of the agent. */
  readonly stream: Duplex;
}

/**
 * Serves one agent on standard input and output until either ends. Its calls pass the gate as calls
 * of agents do in a window. Tools without an allowing rule are neither listed nor called, as there is no
 * user to ask.
 * @throws {UsageError} for a server that is not configured
 */
export async function gatewayCommand(
  operands: readonly string[],
  options: GatewayCommandOptions,
): Promise<ExitCode> {
  const { session, output, version, log, stream } = options;
  const servers = exposedServers(operands, session);
  const access = openAccess(session, servers);
  const calls = new AgentCalls({
    access,
    gate: session.gate,
    floods: new AgentRateLimit((client) => output.notify(`Agent "${client}" calls too often.`)),
    messages: agentMessages(output.redact),
    answerWithinMs: () => 0,
    keep: () => Promise.resolve(),
    drafts: { add: () => undefined },
  });
  const ended = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    session.token.onCancellationRequested(() => resolve());
  });
  const tasks = new AgentTasks();
  const connection = serveAgent(stream, {
    calls,
    tasks,
    path: serverPath(undefined),
    version,
    limits: agentTransportLimits,
    budget: new AgentBudget(agentBudgetLimits),
    lists: new ToolListTexts(),
    onError: agentErrorLog(log),
  });
  const subscription = access.onDidChange(() => connection.announce());
  await ended;
  subscription.dispose();
  tasks.dispose();
  access.dispose();
  await connection.close();
  return session.isCancelled ? exitCodes.cancelled : exitCodes.passed;
}

function exposedServers(operands: readonly string[], session: CliSession): readonly string[] {
  const known = session.registry.servers.map(({ config }) => config.id);
  const missing = operands.find((id) => !known.includes(id));
  if (missing !== undefined) throw new UsageError(`There is no server "${missing}".`);
  return operands.length === 0 ? known : operands;
}

function openAccess(session: CliSession, servers: readonly string[]): AgentAccess {
  const { registry, book, pins } = session;
  return new AgentAccess({
    registry,
    exposed: () => servers,
    toolSets: {
      holds: () => true,
      mayHoldOf: () => true,
      onDidChange: () => ({ dispose: () => undefined }),
    },
    rules: () => book.rules,
    asksNobody: true,
    pins,
    // The user who types the command trusts these servers.
    isTrusted: () => Promise.resolve(true),
    isAnswered: () => Promise.resolve(true),
    startsOnUse: () => true,
    changes: [book.onDidChange],
  });
}

function notAllowed(name: string): string {
  return `No rule of this gateway allows the tool "${inLine(name)}"; nothing was sent.`;
}

function agentMessages(redact: (text: string) => string): AgentMessages {
  return {
    refused: (server, outcome) => refusalMessage(server, outcome, redact),
    unanswered: () => 'Nobody can be asked about this call; nothing was sent.',
    noSuchTool: notAllowed,
    leftOut: notAllowed,
    waiting: () => 'The rules are being looked at.',
  };
}

function refusalMessage(
  server: string,
  outcome: CallOutcome,
  redact: (text: string) => string,
): string {
  switch (outcome.kind) {
    case 'denied':
      return outcome.decision === undefined
        ? 'No rule of this gateway allows this call; nothing was sent.'
        : `${denialOf(undefined, outcome.decision).sentence} Nothing was sent.`;
    case 'failed': {
      const places = outcome.violations.map(({ pointer, message }) => ` ${pointer} ${message};`);
      return `"${server}": ${errorMessage(outcome.error, redact)}${inLine(places.join(''))}`;
    }
    case 'cancelled':
      return 'The call was cancelled.';
    case 'result':
    case 'toolError':
      return '';
    default:
      return assertNever(outcome);
  }
}
