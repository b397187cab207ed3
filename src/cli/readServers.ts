import path from 'node:path';
import {
  mergeConfigurations,
  type ParsedConfiguration,
  parseMcpJson,
  unreadableConfiguration,
} from '../host/configuration/configuration';
import { readRegularFileSync } from '../core/bounds/regularFile';
import { sharedFileName } from '../host/configuration/configurationFormats';
import { readConfiguration } from '../host/configuration/readConfiguration';
import type { ConfigProblem, ConfigSource, ServerConfig } from '../host/configuration/serverConfig';
import type { ConfigurationContext } from '../host/configuration/resolveVariables';
import { UsageError } from './exitCodes';

export interface ReadServersOptions {
  /** Where the program runs; what the editor takes for the folder of the workspace. */
  readonly folder: string;
  /** The only file that counts, from `folder`. */
  readonly file?: string;
  readonly env: ConfigurationContext['env'];
  readonly userHome: string;
  /** The script of the demo server, which is there unless a file names its servers itself. */
  readonly demoServer: string;
}

export interface ReadServers {
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
}

/** No system gives a process more in its environment. */
const maxNamedFileBytes = 1024 * 1024;

/**
 * The configured servers, read as the extension reads them: its files of this folder, or the one
 * that was named. @throws {UsageError} for a named file that cannot be read
 */
export async function readServers(options: ReadServersOptions): Promise<ReadServers> {
  const { folder, file, demoServer } = options;
  if (file !== undefined) return mergeConfigurations([await readNamed(file, options)]);
  const files = [path.join('.vscode', 'mcp.json'), sharedFileName];
  const parsed = await Promise.all(
    files.map(async (name) => {
      const source = sourceOf(path.join(folder, name), folder);
      return (await readOne(source, options)) ?? nothingConfigured;
    }),
  );
  return mergeConfigurations([...parsed, demoConfiguration(demoServer)]);
}

const nothingConfigured: ParsedConfiguration = { servers: [], problems: [], isBroken: false };

async function readNamed(file: string, options: ReadServersOptions): Promise<ParsedConfiguration> {
  const whole = path.resolve(options.folder, file);
  const read = await readOne(sourceOf(whole, options.folder), options);
  if (read === undefined) throw new UsageError(`There is no file ${file}.`);
  const [broken] = read.isBroken ? read.problems : [];
  if (broken === undefined) return read;
  throw new UsageError(`${file} is no configuration of servers: ${broken.code}.`);
}

function sourceOf(
  file: string,
  folder: string,
): Extract<ConfigSource, { readonly kind: 'workspaceFile' }> {
  return { kind: 'workspaceFile', path: file, folder };
}

/** `undefined`: there is none. */
async function readOne(
  source: Extract<ConfigSource, { readonly kind: 'workspaceFile' }>,
  { folder, env, userHome }: ReadServersOptions,
): Promise<ParsedConfiguration | undefined> {
  const read = await readConfiguration(source.path);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'unreadable') return unreadableConfiguration(source, read.code, read.detail);
  const own = { name: path.basename(folder), path: folder };
  const context = {
    workspaceFolders: [own],
    folder: own,
    userHome,
    env,
    readFile: readNamedText,
  };
  const isShared = /^\s*\{[^]*"mcpServers"\s*:/.test(read.text.slice(0, 1_000_000));
  const format = isShared ? 'mcpServers' : 'vscode';
  return parseMcpJson(read.text, { ...source, format }, context);
}

function readNamedText(file: string): string {
  return readRegularFileSync(file, maxNamedFileBytes).toString('utf8');
}

function demoConfiguration(script: string): ParsedConfiguration {
  const reach = { kind: 'stdio', command: process.execPath, args: [script], env: {} } as const;
  const server: ServerConfig = { id: 'demo', label: 'Demo', source: { kind: 'demo' }, reach };
  return { servers: [server], problems: [], isBroken: false };
}
