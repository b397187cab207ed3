import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { isMcpError, McpError } from '../../src/core/errors';
import type { InputHandler } from '../../src/core/input/inputHandler';
import type { ConnectionLog } from '../../src/core/log';
import { riskOfTool } from '../../src/core/risk';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { Connect } from '../../src/host/connections/connection';
import { ServerRegistry, type RegistryOptions } from '../../src/host/connections/registry';
import type { InputValues } from '../../src/host/configuration/inputs';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { RegistryChange, Server } from '../../src/host/connections/snapshot';
import { eventually, untilEvent } from '../waiting';

const besideTests = path.resolve(__dirname, '../servers/steered.mjs');

export type Mode = 'polite' | 'exit' | 'silent' | 'stubborn' | 'unlistable';

/** A registry over real processes that write down what they receive. */
export class SteeredServers {
  readonly registry: ServerRegistry;
  readonly changes: RegistryChange[] = [];
  readonly logged: string[] = [];
  readonly warned: string[] = [];
  isTrusted = true;
  /** Who is asked before a start. */
  approve: RegistryOptions['approve'] = () => Promise.resolve(true);
  riskOf: NonNullable<RegistryOptions['riskOf']> = (_config, tool) => riskOfTool(tool);
  /** Holds back a connection that was made, and does not hear that it is cancelled meanwhile. */
  holdBack: Promise<void> | undefined;
  /** Answers the questions of servers. Absent: they are told that nobody can. */
  input: InputHandler | undefined;
  /** Starts that were tried, and the most of them at the same time. */
  connects = 0;
  mostAtOnce = 0;
  readonly #processes = new LiveProcesses();
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'registry-'));
  readonly #script: string;

  /**
   * With `inputs` somebody knows what inputs stand for; `more` is the registry's; `script` is said
   * by tests that run as a bundle, which lies elsewhere.
   */
  constructor(
    inputs?: InputValues,
    more: Pick<RegistryOptions, 'restarts' | 'disabled' | 'redact' | 'holdSecrets'> = {},
    script = besideTests,
  ) {
    this.#script = script;
    this.registry = new ServerRegistry({
      connect: this.#counting(),
      isTrusted: () => this.isTrusted,
      approve: (config, token) => this.approve(config, token),
      riskOf: (config, tool) => this.riskOf(config, tool),
      logOf: () => this.#log(),
      ...(inputs === undefined ? {} : { inputs }),
      ...more,
    });
    this.registry.onDidChange((change) => this.changes.push(change));
  }

  config(id: string, mode: Mode = 'polite', env: Record<string, string> = {}): ServerConfig {
    return {
      id,
      label: id,
      source: { kind: 'setting' },
      transport: {
        kind: 'stdio',
        command: process.execPath,
        args: [this.#script, mode],
        // The program of a VS Code that has a window is no Node.js without it.
        env: { ELECTRON_RUN_AS_NODE: '1', JOURNAL: this.#journal(id), ...env },
      },
    };
  }

  configure(...configs: readonly ServerConfig[]): void {
    this.registry.setConfiguration(configs, []);
  }

  /** What the server has received, and `started <pid>` for each of its runs. */
  received(id: string): string[] {
    try {
      return readFileSync(this.#journal(id), 'utf8').trimEnd().split('\n');
    } catch {
      return [];
    }
  }

  pids(id: string): number[] {
    return this.received(id).flatMap((line) => {
      const [word, pid] = line.split(' ');
      return word === 'started' ? [Number(pid)] : [];
    });
  }

  async steer(id: string, wish: object): Promise<void> {
    await this.registry.client(id).callTool('steer', wish);
  }

  /** Resolves as soon as `holds` is true of the server. */
  async until(id: string, holds: (server: Server) => boolean): Promise<Server> {
    let found: Server | undefined;
    await untilEvent(this.registry.onDidChange, () => {
      const server = this.registry.find(id);
      if (server !== undefined && holds(server)) found ??= server;
      return found !== undefined;
    });
    return found ?? assert.fail();
  }

  /** Resolves as soon as the server has written down so many lines that start so. */
  async untilReceived(id: string, start: string, count = 1): Promise<void> {
    const isIt = (line: string) => line.startsWith(start);
    await eventually(
      () => this.received(id).filter(isIt),
      ({ length }) => length >= count,
    );
  }

  async end(): Promise<void> {
    // Also after a test that has failed nothing holds the run.
    this.#processes.killNow();
    await this.registry.stopAll();
    this.registry.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #journal(id: string): string {
    return path.join(this.#folder, `${id}.txt`);
  }

  #counting(): Connect {
    let now = 0;
    return async (_config, { transport, ...hooks }, token): Promise<McpClient> => {
      this.connects++;
      this.mostAtOnce = Math.max(this.mostAtOnce, ++now);
      try {
        if (transport.kind !== 'stdio') throw new McpError('internal');
        const clientInfo = { name: 'test', title: 'Test', version: '1' };
        // A slow machine is no silent server, and not a stubborn one.
        const limits = { stdinMs: 200, terminateMs: 300, probeTimeoutMs: 60_000 };
        const log = this.#log();
        const processes = this.#processes;
        const { holdBack, input } = this;
        const asking = input === undefined ? {} : { input };
        const options = { ...transport, ...hooks, ...asking, clientInfo, limits, log, processes };
        if (holdBack === undefined) return await connectStdio(options, token);
        const client = await connectStdio(options);
        await holdBack;
        return client;
      } finally {
        now--;
      }
    };
  }

  #log(): ConnectionLog {
    return {
      info: () => {},
      warn: (text) => void this.warned.push(text),
      error: (text) => void this.logged.push(text),
      stderr: () => {},
      trace: () => {},
      isTracing: () => false,
    };
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function rejectsWith(promise: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(promise, (error: unknown) => isMcpError(error) && error.code === code);
}
