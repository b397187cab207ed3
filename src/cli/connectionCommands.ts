import type { Disposable } from 'vscode-jsonrpc/node';
import type { McpClient } from '../core/client';
import { McpError, toMcpError } from '../core/errors';
import { jsonPieces } from '../core/json/jsonPieces';
import { raceCancellation } from '../core/rpc/cancellation';
import type { TaskHandle } from '../core/tasks/taskState';
import { eraOf, type ContentBlock } from '../core/types';
import { LiveResources } from '../host/resources/liveResources';
import { reportResult, resultJson, withStarted } from './callCommand';
import type { CommandTools } from './commandTools';
import type { CliOutput } from './cliOutput';
import { errorMessage, inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { notifyProblemsOfList } from './listProblems';
import { contentsOf } from './readCommand';
import { redactedResult } from './redactedResult';
import { onlyServer } from './typedServer';

/** Starts a server and measures its answer to a ping. @throws {UsageError} */
export async function pingCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const server = onlyServer('ping', operands);
  return withStarted(server, options, () =>
    attempt(`ping of "${server}"`, options, () => measurePing(server, options)),
  );
}

async function measurePing(
  server: string,
  { session, output, chosen }: CommandTools,
): Promise<ExitCode> {
  const { redact } = output;
  const client = session.registry.client(server);
  const startedAt = performance.now();
  await client.ping({ token: session.token });
  const durationMs = Math.round(performance.now() - startedAt);
  if (chosen.isJson) {
    const facts = { server: redact(server), durationMs, ...serverFacts(client, redact) };
    await output.reportJsonPieces(jsonPieces(facts, 2));
  } else {
    const { name, version } = client.serverInfo;
    const what = `${inLine(redact(`${name} ${version}`))}, MCP ${client.revision}`;
    output.report(`${inLine(redact(server))}: ${durationMs} ms (${what})\n`);
  }
  return exitCodes.passed;
}

/** Returns what a server says about itself, without secrets. */
export function serverFacts(
  { revision, serverInfo, capabilities, instructions }: McpClient,
  redact: CliOutput['redact'],
): object {
  const { name, version } = serverInfo;
  return {
    revision,
    serverInfo: { name: redact(name), version: redact(version) },
    capabilities: Object.entries(capabilities).flatMap(([each, has]) => (has ? [each] : [])),
    instructions: instructions === undefined ? undefined : redact(instructions),
  };
}

/**
 * Writes a line of JSON for each change that a server announces, until the user cancels or the server
 * ends: for a resource its contents, first as they are now; without a resource which list changed.
 * @throws {UsageError}
 */
export async function followCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const [server, uri, ...rest] = operands;
  if (server === undefined || rest.length > 0) {
    throw new UsageError(
      'follow requires the name of a server, and accepts the URI of a resource.',
    );
  }
  return withStarted(server, options, async () => {
    const { session, output } = options;
    const client = session.registry.client(server);
    const listeners: Disposable[] = [];
    try {
      return await new Promise<ExitCode>((resolve) => {
        listeners.push(
          session.token.onCancellationRequested(() => resolve(exitCodes.cancelled)),
          client.onDidClose((error) => {
            const why = error === undefined ? '' : `: ${errorMessage(error, output.redact)}`;
            output.notify(`Server "${server}" ended${why}`);
            resolve(exitCodes.serverFailed);
          }),
          ...(uri === undefined
            ? followLists(client, options)
            : followResource(server, uri, options, (why) => {
                output.notify(`resource "${inLine(uri)}" of "${server}": ${why}`);
                resolve(exitCodes.failed);
              })),
        );
      });
    } finally {
      for (const each of listeners) each.dispose();
    }
  });
}

function followLists(client: McpClient, { output }: CommandTools): readonly Disposable[] {
  const changed = (list: string) => (): void =>
    output.reportJson(`${JSON.stringify({ at: new Date().toISOString(), changed: list })}\n`);
  return [
    client.onDidChangeTools(changed('tools')),
    client.resources.onDidChange(changed('resources')),
    client.onDidChangePrompts(changed('prompts')),
  ];
}

/** Calls `fail` with the reason if the resource cannot be read, or its changes are not announced. */
function followResource(
  serverId: string,
  uri: string,
  options: CommandTools,
  fail: (why: string) => void,
): readonly Disposable[] {
  const { session, output } = options;
  const { registry } = session;
  const { capabilities, resources } = registry.client(serverId);
  const live = new LiveResources({
    servers: registry,
    onRead: ({ read: { contents, ...others }, startedAt }) => {
      const at = new Date(startedAt).toISOString();
      const content = contents.map((resource): ContentBlock => ({ type: 'resource', resource }));
      const shown = resultJson({ content, isError: false, ...others }, output, contentsOf);
      output.reportJson(`${[...jsonPieces({ at, uri: output.redact(uri), ...shown })].join('')}\n`);
    },
  });
  const check = live.onDidChange(() => {
    const state = live.stateOf({ serverId, uri });
    if (state.kind === 'failed') fail(errorMessage(state.error, output.redact));
  });
  const watched = resources.onDidChangeWatched(() => {
    if (!resources.watched.has(uri)) fail(noUpdates);
  });
  live.setOpen([{ serverId, uri, isOld: true }]);
  if (!capabilities.resourcesSubscribe) fail(noUpdates);
  return [live, check, watched];
}

const noUpdates = 'the server does not announce its changes.';

/**
 * Lists the tasks of a server, or reads, awaits or cancels one. Without a session, the server has to
 * know the task in the new one.
 * @throws {UsageError}
 */
export async function tasksCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const [server, verb = 'list', taskId, ...rest] = operands;
  const isList = verb === 'list';
  if (server === undefined || !isTaskVerb(verb) || rest.length > 0) {
    throw new UsageError(
      `tasks takes a server, one of ${taskVerbs.join(', ')}, and the id of a task.`,
    );
  }
  if (isList !== (taskId === undefined)) {
    throw new UsageError(
      isList ? 'tasks list takes no id.' : `tasks ${verb} takes the id of a task.`,
    );
  }
  const what = isList ? `tasks of "${server}"` : `task "${inLine(taskId)}" of "${server}"`;
  return withStarted(server, options, () =>
    attempt(what, options, () =>
      taskId === undefined ? listTasks(server, options) : useTask(server, verb, taskId, options),
    ),
  );
}

async function listTasks(server: string, options: CommandTools): Promise<ExitCode> {
  const { session, output } = options;
  const client = session.registry.client(server);
  if (!client.capabilities.taskLists) {
    throw new McpError('unsupportedFeature', { detail: 'tasks/list' });
  }
  const { tasks, problems } = await client.listTasks({ token: session.token });
  await writeJson({ tasks }, options);
  const isWhole = notifyProblemsOfList(server, { what: 'tasks', problems }, output);
  return isWhole ? exitCodes.passed : exitCodes.failed;
}

async function useTask(
  server: string,
  verb: TaskVerb,
  taskId: string,
  options: CommandTools,
): Promise<ExitCode> {
  const { session, chosen } = options;
  const { taskSession: sessionId } = chosen;
  const { token } = session;
  const client = session.registry.client(server);
  const { taskCalls, taskCancellations, taskExtension, taskLists } = client.capabilities;
  if (!taskCalls && !taskCancellations && !taskExtension && !taskLists) {
    throw new McpError('unsupportedFeature', { detail: `tasks/${verb}` });
  }
  const wire = eraOf(client.revision);
  const own = sessionId === undefined ? {} : { sessionId };
  const handle: TaskHandle = { wire, taskId, createdAt: Date.now(), tool: '', ...own };
  if (verb !== 'result') {
    const method = verb === 'cancel' ? 'tasks/cancel' : 'tasks/get';
    const task = await client.requestTask(method, handle, { token });
    await writeJson({ task: task ?? { taskId } }, options);
    return exitCodes.passed;
  }
  // The token would cancel the task at the server.
  const result = await raceCancellation(client.resumeTask(handle), token);
  const isWhole = await reportResult(result, options);
  return isWhole && !result.isError ? exitCodes.passed : exitCodes.failed;
}

const taskVerbs = ['list', 'get', 'result', 'cancel'] as const;

type TaskVerb = (typeof taskVerbs)[number];

function isTaskVerb(text: string): text is TaskVerb {
  return taskVerbs.some((verb) => verb === text);
}

async function writeJson(value: object, { output }: CommandTools): Promise<void> {
  const shown = output.hasSecrets ? redactedResult(value, output.redact) : value;
  await output.reportJsonPieces(jsonPieces(shown, 2));
}

/** Reports an error of the server as the failure of the command. */
export async function attempt(
  what: string,
  { session, output }: CommandTools,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (thrown) {
    if (session.isCancelled) return exitCodes.cancelled;
    output.notify(`${what}: ${errorMessage(toMcpError(thrown), output.redact)}`);
    return exitCodes.failed;
  }
}
