import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../vscode/paths';
import { makeTemporaryFolder } from '../vscode/server';

/** A server as `.vscode/mcp.json` writes it. */
export interface ConfiguredServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly envFile?: string;
}

/** One that is reached by HTTP. */
export interface ConfiguredAddress {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnyServer = ConfiguredServer | ConfiguredAddress;

export interface Workspace {
  readonly folder: string;
  /** Stands beside the folder, and is there after `open`. */
  readonly file: string;
  /** Writes the workspace file: the folders beside it that are in the workspace. */
  readonly open: (...names: readonly string[]) => void;
  /** Writes `.vscode/mcp.json`, as a person who saves it. */
  readonly configure: (servers: Readonly<Record<string, AnyServer>>) => void;
  /** What the steered server of this name has received: a method a line, and `called <tool>`. */
  readonly received: (server: string) => string[];
  /** Steered: it writes down every message it receives. */
  readonly steered: (server: string, mode?: string) => ConfiguredServer;
  readonly remove: () => void;
}

/** A server of test/servers. */
export function testServer(file: string, ...args: readonly string[]): ConfiguredServer {
  const script = path.join(projectFolder, 'test/servers', file);
  return { command: process.execPath, args: [script, ...args] };
}

/** A server whose behaviour stands beside the test, as the text of a function. */
export function scriptedServer(script: string): ConfiguredServer {
  return testServer('scripted.mjs', script);
}

export const demoServer: ConfiguredServer = {
  command: process.execPath,
  args: [path.join(projectFolder, 'dist/demoServer.js')],
};

export const everythingServer: ConfiguredServer = {
  command: process.execPath,
  args: [packageFile('server-everything'), 'stdio'],
};

export function filesystemServer(folder: string): ConfiguredServer {
  return { command: process.execPath, args: [packageFile('server-filesystem'), folder] };
}

function packageFile(name: string): string {
  return path.join(projectFolder, `node_modules/@modelcontextprotocol/${name}/dist/index.js`);
}

/** A folder to open in a window, with files beside it for what servers write down. */
export function makeWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const { folder: outer, remove } = makeTemporaryFolder('workspace');
  const folder = path.join(outer, 'garden');
  const write = (name: string, text: string) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const journal = (server: string) => path.join(outer, `${server}.journal`);
  const workspaceFile = path.join(outer, 'garden.code-workspace');
  return {
    folder,
    file: workspaceFile,
    open: (...names) =>
      writeFileSync(
        workspaceFile,
        JSON.stringify({ folders: names.map((name) => ({ path: name })) }),
      ),
    configure: (servers) => write('.vscode/mcp.json', JSON.stringify({ servers }, undefined, 2)),
    received: (server) => {
      const file = journal(server);
      return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    },
    steered: (server, mode = 'polite') => ({
      ...testServer('steered.mjs', mode),
      env: { JOURNAL: journal(server) },
    }),
    remove,
  };
}
