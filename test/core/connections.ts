import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../src/core/client';
import { textOf as contentText } from '../../src/core/content/textKind';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import type { ConnectStdioOptions } from '../../src/core/stdio/connectStdio';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { ReceivedMessage, Script, ServerCommand } from '../servers/scripted';
import { scripted } from '../servers/scripted';
import { until, untilEvent } from '../waiting';
import { RecordingLog } from './wire';

export const clientInfo = { name: 'toolgate-test', title: 'Toolgate test', version: '0.0.1' };

/** For the end of all connections of one test; less than a hook of the tests may take. */
const patienceMs = 8_000;

/** A slow machine is no silent server. */
const patient = { probeTimeoutMs: 60_000, startTimeoutMs: 60_000 };

/** Connections to real processes; `close` ends them all and finds nothing left. */
export class Connections {
  log = new RecordingLog();
  garbage: string[] = [];
  readonly processes = new LiveProcesses();
  readonly #clients: McpClient[] = [];
  readonly #defaults: Partial<ConnectStdioOptions>;

  /** `defaults` hold for every connection that says nothing else. */
  constructor(defaults: Partial<ConnectStdioOptions> = {}) {
    this.#defaults = defaults;
  }

  to(
    script: Script | string,
    options: Partial<ConnectStdioOptions> = {},
    token?: CancellationToken,
  ): Promise<McpClient> {
    return this.toCommand(scripted(script), options, token);
  }

  async toCommand(
    command: ServerCommand,
    options: Partial<ConnectStdioOptions> = {},
    token?: CancellationToken,
  ): Promise<McpClient> {
    const { limits, ...rest } = options;
    const client = await connectStdio(
      {
        ...command,
        clientInfo,
        log: this.log,
        onGarbage: (line) => this.garbage.push(line),
        processes: this.processes,
        limits: { stdinMs: 5_000, terminateMs: 2_000, ...patient, ...limits },
        ...this.#defaults,
        ...rest,
      },
      token,
    );
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    const closed = Promise.all(this.#clients.splice(0).map((client) => client.close()));
    const gone = closed.then(() => this.#untilGone());
    await Promise.race([gone, delay(patienceMs, undefined, { ref: false })]);
    const left = this.processes.pids;
    // A test that failed on its way leaves servers that nobody holds, and they would hold the run.
    this.processes.killNow();
    assert.deepEqual(left, []);
    this.log = new RecordingLog();
    this.garbage = [];
  }

  /** A client waits only for so long for what its server has left, and a busy machine ends it later. */
  #untilGone(): Promise<void> {
    return untilEvent(this.processes.onDidChange, () => this.processes.pids.length === 0);
  }
}

/** The text of a result's only block. */
export async function textOf(result: ReturnType<McpClient['callTool']>): Promise<string> {
  const [block] = (await result).content;
  assert.ok(block?.type === 'text');
  return contentText(block.text);
}

/** Every message that a scripted server got, the asking one included. */
export async function receivedBy(client: McpClient): Promise<readonly ReceivedMessage[]> {
  return JSON.parse(await textOf(client.callTool('received', undefined)));
}

/** Resolves when there is no process with this number: the end of what somebody else started has no event. */
export async function untilGone(pid: number): Promise<void> {
  await until(() => !isAlive(pid));
}

/** Whether a process with this number is there; a zombie is not, where the system tells. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    // "pid (name) state ...": what lost its parent may wait for long until somebody reaps it.
    return !/\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
