import path from 'node:path';
import {
  mergeConfigurations,
  type ParsedConfiguration,
  parseFile,
} from '../host/configuration/configuration';
import { type WorkspaceFile, workspaceFiles } from '../host/configuration/configurationFormats';
import { ServerEntries } from '../host/configuration/serverEntries';
import { readConfiguration, readNamedText } from '../host/configuration/readConfiguration';
import type { ConfigProblem, ServerConfig } from '../host/configuration/serverConfig';
import type { ConfigurationContext } from '../host/configuration/variables';
import { formatConfigProblem } from '../texts/configProblems';
import { inLine } from './errorMessage';
import { UsageError } from './exitCodes';
import { typedConfiguration, type TypedServer } from './typedServer';

export interface ReadServersOptions {
  /** The working folder, which replaces the workspace folder of the editor. */
  readonly folder: string;
  /** This is the only file that is read; its path is relative to `folder`. */
  readonly file?: string | undefined;
  /** A server from the command line, which is then the only one. */
  readonly typed?: TypedServer | undefined;
  readonly env: ConfigurationContext['env'];
  readonly userHome: string;
  /** The script of the demo server, which is there unless a file names its servers itself. */
  readonly demoServer: string;
}

export interface ReadServers {
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
  /** The problems in words, with file, line and column. */
  readonly problemTexts: readonly string[];
  /** True if an existing file could not be read at all. */
  readonly isBroken: boolean;
}

/**
 * Reads the configured servers as the extension does, from its files of this folder or from the
 * named file. @throws {UsageError} for a named file that cannot be read
 */
export async function readServers(options: ReadServersOptions): Promise<ReadServers> {
  const { folder, file, typed, demoServer } = options;
  if (typed !== undefined) {
    const servers = [typedConfiguration(typed, contextIn(options))];
    return { servers, problems: [], problemTexts: [], isBroken: false };
  }
  const named = file === undefined ? undefined : path.resolve(folder, file);
  const sources: readonly WorkspaceFile[] =
    named === undefined ? workspaceFiles(folder) : [{ kind: 'workspaceFile', path: named, folder }];
  const texts = new Map<string, string>();
  const parsed = await Promise.all(
    sources.map(async (source): Promise<ParsedConfiguration> => {
      const read = await readConfiguration(source.path);
      if (read.kind === 'text') texts.set(source.path, read.text);
      else if (read.kind === 'absent' && named !== undefined) {
        throw new UsageError(`There is no file ${file}.`);
      }
      return parseFile(read, source, contextIn(options));
    }),
  );
  const demo = named === undefined ? [demoConfiguration(demoServer)] : [];
  const merged = mergeConfigurations([...parsed, ...demo]);
  const problemTexts = merged.problems.flatMap((problem) => problemLines(problem, texts, folder));
  const isBroken = parsed.some(
    (each) =>
      each.isBroken || each.problems.some(({ fatal, server }) => fatal && server === undefined),
  );
  if (isBroken && named !== undefined) throw new UsageError(problemTexts[0] ?? '');
  return { ...merged, problemTexts, isBroken };
}

function contextIn({ folder, env, userHome }: ReadServersOptions): ConfigurationContext {
  const own = { name: path.basename(folder), path: folder };
  return { workspaceFolders: [own], folder: own, userHome, env, readFile: readNamedText };
}

function problemLines(
  problem: ConfigProblem,
  texts: ReadonlyMap<string, string>,
  folder: string,
): readonly string[] {
  // A configured server `demo` replaces the demo server.
  if (!('path' in problem.source)) return [];
  // An address may hold a password, which the redaction does not know yet.
  const { detail: _, ...rest } = problem;
  const sentence = formatConfigProblem(problem.code === 'invalidUrl' ? rest : problem, inLine);
  const file = problem.source.path;
  const text = texts.get(file) ?? '';
  const place = new ServerEntries(text).place(problem);
  const lines = text.slice(0, place?.offset).split(/\r\n|\r|\n/);
  const at = place === undefined ? '' : `:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
  return [`${path.relative(folder, file)}${at}: ${sentence}`];
}

function demoConfiguration(script: string): ParsedConfiguration {
  const transport = { kind: 'stdio', command: process.execPath, args: [script], env: {} } as const;
  const server: ServerConfig = { id: 'demo', label: 'Demo', source: { kind: 'demo' }, transport };
  return { servers: [server], problems: [], isBroken: false };
}
