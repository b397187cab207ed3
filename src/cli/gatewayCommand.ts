import { randomBytes } from 'node:crypto';
import type { Disposable } from 'vscode-jsonrpc/node';
import { assertNever } from '../core/errors';
import { AgentAccess } from '../host/agents/agentAccess';
import { AgentBudget, agentBudgetLimits, AgentRateLimit } from '../host/agents/agentLimits';
import { AgentCalls, type AgentCallOptions, type AgentMessages } from '../host/agents/agentCall';
import { AgentHttpServer } from '../host/agents/agentHttp';
import { agentErrorLog } from '../host/agents/agentLogs';
import { serverPath } from '../host/agents/agentProtocol';
import { AgentTasks } from '../host/agents/agentTasks';
import { serveAgent } from '../host/agents/agentServer';
import { agentTransportLimits } from '../host/agents/agentTransport';
import { ToolListTexts } from '../host/agents/agentTools';
import type { CallOutcome } from '../host/calls/call';
import type { Server } from '../host/connections/snapshot';
import type { CommandTools } from './commandTools';
import type { CliSession } from './cliSession';
import { secretVariable } from './cliValues';
import { denialOf } from './denialMessages';
import { errorMessage, inLine } from './errorMessage';
import type { CliOutput } from './cliOutput';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';

/**
 * Serves one agent on standard input and output, or several over HTTP. Their calls pass the gate as calls
 * of agents do in a window. Tools without an allowing rule are neither listed nor called, as there is no
 * user to ask.
 * @throws {UsageError} for a server that is not configured
 */
export async function gatewayCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const { session, output, chosen, env, secrets } = options;
  const { http: port, token: written } = chosen;
  const token = written && secretVariable('--token', written, env, secrets);
  const servers = exposedServers(operands, session);
  const access = openAccess(session, servers);
  const callOptions: GatewayCalls = {
    access,
    gate: session.gate,
    floods: new AgentRateLimit((client) => output.notify(`Agent "${client}" calls too often.`)),
    messages: agentMessages(session, servers, output.redact),
    answerWithinMs: () => 0,
    keep: () => Promise.resolve(),
    drafts: { add: () => undefined },
  };
  const failures = notifyOfFailures(session, output);
  try {
    if (port === undefined) await serveStream(callOptions, options);
    else await serveHttp(callOptions, { port, token }, options);
  } finally {
    failures.dispose();
    access.dispose();
  }
  return session.isCancelled ? exitCodes.cancelled : exitCodes.passed;
}

type GatewayCalls = AgentCallOptions & { readonly access: AgentAccess };

/** Serves one agent until either ends. */
async function serveStream(
  callOptions: GatewayCalls,
  { session, log, context: { version, agentStream } }: CommandTools,
): Promise<void> {
  const stream = agentStream();
  const ended = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    session.token.onCancellationRequested(() => resolve());
  });
  const tasks = new AgentTasks();
  const connection = serveAgent(stream, {
    calls: new AgentCalls(callOptions),
    tasks,
    path: serverPath(undefined),
    version,
    limits: agentTransportLimits,
    budget: new AgentBudget(agentBudgetLimits),
    lists: new ToolListTexts(),
    onError: agentErrorLog(log),
  });
  const subscription = callOptions.access.onDidChange(() => connection.announce());
  await ended;
  subscription.dispose();
  tasks.dispose();
  await connection.close();
}

/** Further servers are not named in a message. */
const maxNamedServers = 10;
const tokenBytes = 32;
const minTokenChars = 16;

/** Serves agents over HTTP until the user cancels; the token is a random one by default. @throws {UsageError} for a port that cannot be used */
async function serveHttp(
  callOptions: GatewayCalls,
  { port, token: given }: { readonly port: number; readonly token: string | undefined },
  { session, output, log, context: { version } }: CommandTools,
): Promise<void> {
  const token = given ?? randomBytes(tokenBytes).toString('base64url');
  if (token.length < minTokenChars) {
    throw new UsageError(`--token must have at least ${minTokenChars} characters.`);
  }
  const { access } = callOptions;
  const server = await AgentHttpServer.open({
    callsOf: (id) => new AgentCalls(callOptions, id),
    isExposed: (id) => access.isExposed(id),
    token,
    port,
    version,
    onError: agentErrorLog(log),
  }).catch((error: unknown) => {
    throw new UsageError(`Port ${port} cannot be used: ${inLine(String(error))}`);
  });
  const subscription = access.onDidChange(() => server.announce());
  const shown = given === undefined ? token : '<token>';
  output.notify(`Agents use ${server.url} with the header "Authorization: Bearer ${shown}".`);
  await new Promise<void>((resolve) => session.token.onCancellationRequested(() => resolve()));
  subscription.dispose();
  await server.close();
}

function exposedServers(operands: readonly string[], session: CliSession): readonly string[] {
  for (const id of operands) session.named(id);
  return operands.length === 0 ? session.registry.servers.map(({ config }) => config.id) : operands;
}

function openAccess(session: CliSession, servers: readonly string[]): AgentAccess {
  const { registry, book, pins, locks } = session;
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
    keepUp: () => locks.keepUp(),
    changes: [book.onDidChange, locks.onDidChange],
  });
}

/** Says on standard error why a server did not start, or that it ended. */
function notifyOfFailures(session: CliSession, output: CliOutput): Disposable {
  const seen = new Map<string, Server['state']['kind']>();
  return session.registry.onDidChange(() => {
    for (const { config, state } of session.registry.servers) {
      const before = seen.get(config.id);
      seen.set(config.id, state.kind);
      if (state.kind !== 'failed' || before === 'failed') continue;
      const { redact } = output;
      const ended = `Server "${config.id}" ended: ${errorMessage(state.error, redact)}`;
      output.notify(
        before === 'running' ? ended : session.startFailure(config.id, state.error, redact),
      );
    }
  });
}

function notAllowed(name: string): string {
  return `No rule of this gateway allows the tool "${inLine(name)}"; nothing was sent.`;
}

function agentMessages(
  { registry }: CliSession,
  servers: readonly string[],
  redact: (text: string) => string,
): AgentMessages {
  const noSuchTool = (name: string): string => {
    const down = servers.filter((id) => registry.find(id)?.state.kind !== 'running');
    if (down.length === 0) return notAllowed(name);
    const names = down
      .slice(0, maxNamedServers)
      .map((id) => `"${inLine(id)}"`)
      .join(', ');
    return `The tool "${inLine(name)}" is not available: these servers do not run: ${names}. Nothing was sent.`;
  };
  return {
    refused: (server, outcome) => refusalMessage(server, outcome, redact),
    unanswered: () => 'Nobody can be asked about this call; nothing was sent.',
    noSuchTool,
    leftOut: notAllowed,
    waiting: () => 'The rules are being evaluated.',
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
