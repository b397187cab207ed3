/**
 * Connects an agent, which starts this as an MCP server over stdio, to the editor window that has
 * the agent's working directory open. It only forwards bytes; the window makes all decisions.
 *   node gateway.js [--server <name>] [--window <process>]
 * --window selects the window of that process, whatever folder it has open.
 */
import { realpath } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { bridgeProtocol, serverPath, type AgentWindow } from '../host/agents/agentProtocol';
import { windowsOfUser, readWindows, windowForFolder } from '../host/agents/agentWindows';

const connectMs = 10_000;
const maxAnswerChars = 2_000;
const names: ReadonlySet<string> = new Set(['--server', '--window']);

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2));
  const window = await findWindow(given.get('--window'));
  const socket = await connect(window, given.get('--server'));
  // A killed editor resets the connection; `close` reports the end.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    process.stderr.write('Toolgate: the window has ended the connection.\n');
    // Data that was already read is still written.
    process.stdout.end(() => process.exit(0));
  });
  process.stdin.pipe(socket);
  socket.pipe(process.stdout, { end: false });
}

/**
 * Finds the requested window and checks that it can be trusted. @throws an error whose message is a
 * sentence
 */
async function findWindow(wanted: string | undefined): Promise<AgentWindow> {
  // The bridge is in the folder where windows register themselves.
  const folder = path.dirname(await realpath(process.argv[1] ?? ''));
  const here = await realpath(process.cwd());
  const windows = await readWindows(folder);
  const find = (all: readonly AgentWindow[]): AgentWindow | undefined =>
    wanted === undefined
      ? windowForFolder(here, all)
      : all.findLast(({ pid }) => String(pid) === wanted);
  const own = await windowsOfUser(folder, windows);
  const window = find(own) ?? find(windows);
  if (window === undefined) {
    throw new Error(
      wanted === undefined
        ? nowhere(here, windows.length > 0)
        : 'The window that started this does not serve agents any more.',
    );
  }
  if (window.protocol !== bridgeProtocol) {
    throw new Error(
      `The window speaks ${window.protocol} and this bridge ${bridgeProtocol}: reload the window, and start the agent again.`,
    );
  }
  if (own.includes(window)) return window;
  throw new Error(
    'The window could not be reached (its socket is gone, or others could have made it). Reload it.',
  );
}

function nowhere(here: string, hasOthers: boolean): string {
  const others = hasOthers ? ' Other folders are open in windows that serve agents.' : '';
  return `No window of VS Code in which Toolgate serves agents has the folder ${here} open. Open it there, and turn on the setting toolgate.agents.enabled.${others}`;
}

/**
 * Parses the command line. Unknown arguments are errors, because ignoring one could expose more to
 * an agent.
 * @throws an error whose message is a sentence
 */
function readArguments(given: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < given.length; at += 2) {
    const [name = '', value] = given.slice(at, at + 2);
    if (value === undefined || !names.has(name)) {
      const odd = JSON.stringify(name);
      throw new Error(
        `The bridge takes --server <name> and --window <process>, and cannot read ${odd}.`,
      );
    }
    values.set(name, value);
  }
  return values;
}

/** Rejects with the window's message if it refuses the connection. */
function connect(window: AgentWindow, server: string | undefined): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asking = request({
      socketPath: window.socket,
      path: serverPath(server),
      timeout: connectMs,
      headers: {
        connection: 'Upgrade',
        upgrade: bridgeProtocol,
        authorization: `Bearer ${window.token}`,
      },
    });
    asking.on('upgrade', (_, socket, head) => {
      socket.setTimeout(0);
      socket.unshift(head);
      resolve(socket);
    });
    asking.on('response', (response) => {
      let said = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (said = (said + text).slice(0, maxAnswerChars)));
      response.on('end', () => reject(new Error(said.trim())));
    });
    asking.on('timeout', () => asking.destroy(new Error('the window did not answer')));
    asking.on('error', (error) =>
      reject(new Error(`The window could not be reached (${error.message}). Reload it.`)),
    );
    asking.end();
  });
}

/** Answers the agent's first request with the reason, which is all that some agents show. */
function refuse(sentence: string): void {
  process.stderr.write(`Toolgate: ${sentence}\n`);
  process.exitCode = 1;
  let text = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\n');
    if (end === -1) return;
    process.stdin.destroy();
    const id = idOf(text.slice(0, end));
    if (id === undefined) return;
    const error = { code: -32_000, message: `Toolgate: ${sentence}` };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  });
}

function idOf(line: string): string | number | undefined {
  try {
    const message: unknown = JSON.parse(line);
    const id: unknown = Object(message).id;
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}

main().catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));
