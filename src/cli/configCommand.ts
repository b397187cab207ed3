import { homedir } from 'node:os';
import path from 'node:path';
import * as jsonc from 'jsonc-parser';
import { jsonPieces } from '../core/json/jsonPieces';
import { didYouMean, freeName } from '../core/nearestName';
import {
  hasServer,
  namesInConfiguration,
  withAddition,
  type Addition,
} from '../host/adding/configurationAdditions';
import { clientFiles, draftsFromClientFile, type ClientFile } from '../host/adding/clientFiles';
import type { ServerDraft } from '../host/adding/draft';
import { withoutEntry } from '../host/adding/configurationEdits';
import { findDraftSecrets, withFreeInputs, withInputs } from '../host/adding/draftSecrets';
import { isToolgateBridge } from '../host/configuration/configuration';
import {
  expectedFormat,
  serversKey,
  type ConfigFormat,
} from '../host/configuration/configurationFormats';
import { jsonTree } from '../host/configuration/jsonTree';
import { readConfiguration } from '../host/configuration/readConfiguration';
import type { ServerConfig } from '../host/configuration/serverConfig';
import { registerServerSecrets } from '../host/secrets/configuredSecrets';
import { inputEnvironmentName } from './cliValues';
import type { CommandTools } from './commandTools';
import { inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { refuseLinks } from './refuseLinks';
import { NotReplacedError, replaceText, runExclusively } from './replaceText';
import type { ReadServers } from './readServers';

export interface ConfigCommandOptions extends Pick<
  CommandTools,
  'chosen' | 'folder' | 'env' | 'output' | 'secrets'
> {
  readonly readServers: () => Promise<ReadServers>;
}

const defaultFile = path.join('.vscode', 'mcp.json');
const configVerbs = ['list', 'add', 'remove', 'import'] as const;

/** Lists configured servers, or changes a configuration file. Starts no server. @throws {UsageError} */
export async function configCommand(
  operands: readonly string[],
  options: ConfigCommandOptions,
): Promise<ExitCode> {
  const [verb = 'list', name, ...rest] = operands;
  if (rest.length > 0) throw new UsageError(`config ${inLine(verb)} takes one name.`);
  // An entry without a name cannot be used, but can be removed.
  const isUnnamed = verb === 'add' ? !name : verb === 'remove' && name === undefined;
  if (isUnnamed) throw new UsageError(`config ${verb} takes a name.`);
  if (options.chosen.typedServer !== undefined && verb !== 'add') {
    throw new UsageError('Use --command and --url only with config add.');
  }
  const { folder, env, chosen } = options;
  const change = (work: typeof addServer): Promise<ExitCode> =>
    runExclusively({ folder, file: chosen.to ?? defaultFile, env }, () =>
      work(name ?? '', options),
    );
  switch (verb) {
    case 'list':
      return listConfigured(options);
    case 'add':
      return change(addServer);
    case 'remove':
      return change(removeServer);
    case 'import':
      return name === undefined ? listClients(options) : change(importFrom);
    default:
      throw new UsageError(
        `config takes ${configVerbs.join(', ')}.${didYouMean(verb, configVerbs)}`,
      );
  }
}

async function listConfigured(options: ConfigCommandOptions): Promise<ExitCode> {
  const { output, folder, chosen, secrets } = options;
  const { servers, isBroken } = await options.readServers();
  const register = registerServerSecrets(secrets);
  for (const server of servers) register(server, server.transport);
  const { redact } = output;
  const listed = servers.map((server) => ({
    server: redact(server.id),
    file: placeOf(server, folder),
    launch: redact(launchText(server.transport)),
  }));
  if (chosen.isJson) await output.reportJsonPieces(jsonPieces({ servers: listed }, 2));
  else {
    for (const { server, file, launch } of listed) {
      output.report(`- ${inLine(server)}  ${inLine(file)}  ${inLine(launch)}\n`);
    }
  }
  return isBroken ? exitCodes.serverFailed : exitCodes.passed;
}

function placeOf({ source }: ServerConfig, folder: string): string {
  return 'path' in source ? path.relative(folder, source.path) : source.kind;
}

function launchText(
  transport: ServerConfig['transport'] | ServerDraft['entry'] | undefined,
): string {
  if (transport === undefined) return '';
  if ('url' in transport && transport.url !== undefined) return transport.url;
  if (!('command' in transport)) return '';
  return [transport.command, ...(transport.args ?? [])].join(' ');
}

async function addServer(name: string, options: ConfigCommandOptions): Promise<ExitCode> {
  const { typedServer: typed } = options.chosen;
  if (typed === undefined) {
    throw new UsageError('config add takes the server as --command or --url.');
  }
  const entry = Object.fromEntries(Object.entries(typed.entry).filter(isFilled));
  return writeDrafts([{ name, entry, inputs: [], notes: [] }], options);
}

function isFilled([, value]: readonly [string, unknown]): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

async function removeServer(name: string, options: ConfigCommandOptions): Promise<ExitCode> {
  const file = await openFile(options);
  const { root, error } = jsonTree(file.text);
  if (root === undefined || error !== undefined) throw notJson(file);
  const { servers } = namesInConfiguration(file.text);
  if (!servers.has(name)) {
    const near = didYouMean(name, [...servers]);
    throw new UsageError(`${file.shown} has no server "${inLine(name)}".${near}`);
  }
  // A file may have servers in both formats.
  const text = (['vscode', 'mcpServers'] as const)
    .map((format) => [serversKey(format), name])
    .reduce((now, place) => withoutEntry(now, place), file.text);
  return write(file, text, `Removed ${inLine(name)} from`, options);
}

interface FoundClient extends ClientFile {
  readonly drafts: readonly ServerDraft[];
}

/** Reads the files that the editor's import reads, too. */
async function findClients({ folder, env }: ConfigCommandOptions): Promise<readonly FoundClient[]> {
  const machine = { platform: process.platform, userHome: env['HOME'] ?? homedir(), env };
  const found = await Promise.all(
    clientFiles({ ...machine, folders: [folder] }).map(async (file) => {
      const read = await readConfiguration(file.path);
      const drafts = read.kind === 'text' ? draftsFromClientFile(read.text, [folder]) : [];
      return { ...file, drafts: drafts.filter(({ entry }) => !isToolgateBridge(entry)) };
    }),
  );
  return found.filter(({ drafts }) => drafts.length > 0);
}

async function listClients(options: ConfigCommandOptions): Promise<ExitCode> {
  const { output } = options;
  const found = await findClients(options);
  if (found.length === 0) output.notify('No servers of other clients were found.');
  for (const { client, path: file, drafts } of found) {
    output.report(`- ${client}  ${inLine(file)}\n`);
    for (const { name = '', entry, ...draft } of drafts) {
      // Values that look like secrets are left out, as they are when the entry is written.
      const { draft: safe } = withInputs(
        { ...draft, name, entry },
        findDraftSecrets({ ...draft, entry }),
        new Set(),
      );
      output.report(`    ${inLine(name)}  ${inLine(launchText(safe.entry))}\n`);
    }
  }
  return exitCodes.passed;
}

async function importFrom(client: string, options: ConfigCommandOptions): Promise<ExitCode> {
  const found = await findClients(options);
  const isNamed = (each: FoundClient): boolean =>
    keyOf(each.client) === keyOf(client) ||
    path.resolve(options.folder, client) === path.resolve(each.path);
  const named = found.filter(isNamed);
  if (named.length === 0) {
    const known = [...new Set(found.map((each) => keyOf(each.client)))];
    const near = didYouMean(keyOf(client), known);
    throw new UsageError(`No servers of the client "${inLine(client)}" were found.${near}`);
  }
  return writeDrafts(
    named.flatMap(({ drafts }) => drafts),
    options,
  );
}

/** `Claude Code` may be typed as `claude-code`. */
function keyOf(client: string): string {
  return client.toLowerCase().replaceAll(/[\s_]+/g, '-');
}

/** Adds servers whose names are free. Values that look like secrets become inputs. */
async function writeDrafts(
  drafts: readonly (Omit<ServerDraft, 'entry'> & { readonly entry: object })[],
  options: ConfigCommandOptions,
): Promise<ExitCode> {
  const { output } = options;
  const file = await openFile(options);
  let { text } = file;
  const added: string[] = [];
  for (const draft of drafts) {
    const known = namesInConfiguration(text);
    const name = draft.name ?? freeName('server', known.servers);
    if (known.servers.has(name)) {
      const isSame = hasServer(text, { name, entry: draft.entry }, file.format);
      output.notify(
        `"${inLine(name)}" is in ${file.shown} already${isSame ? '' : ', and differs'}.`,
      );
      continue;
    }
    const free = withFreeInputs({ ...draft, name }, known.inputs);
    const made = withInputs(free, findDraftSecrets(free), known.inputs);
    const { entry, inputs } = made.draft;
    const addition: Addition = { servers: [{ name, entry }], inputs };
    const now = withAddition(text, addition, file.format);
    if (now === undefined) throw notJson(file);
    text = now;
    added.push(name);
    for (const { id } of inputs) {
      output.notify(`"${inLine(name)}" needs a value: set ${inputEnvironmentName(id)}.`);
    }
  }
  if (added.length === 0) return exitCodes.failed;
  return write(file, text, `Added ${added.map(inLine).join(', ')} to`, options);
}

interface ConfigFile {
  readonly path: string;
  readonly shown: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly format: ConfigFormat;
}

function notJson({ shown }: ConfigFile): UsageError {
  return new UsageError(`${shown} does not contain a JSON object, so it cannot be changed.`);
}

/** @throws {UsageError} for a link, or a file that cannot be read */
async function openFile({ folder, chosen }: ConfigCommandOptions): Promise<ConfigFile> {
  const { to: file = defaultFile } = chosen;
  const target = path.resolve(folder, file);
  refuseLinks(folder, file);
  const read = await readConfiguration(target);
  if (read.kind !== 'text' && read.kind !== 'absent')
    throw new UsageError(`${file} cannot be read.`);
  const text = read.kind === 'text' ? read.text : '';
  const source = { kind: 'workspaceFile', path: target, folder } as const;
  const root: unknown = jsonc.parse(text);
  const isOther = typeof root === 'object' && root !== null && 'mcpServers' in root;
  const format = isOther ? 'mcpServers' : (expectedFormat(source) ?? 'vscode');
  const isNew = read.kind === 'absent';
  return { path: target, shown: inLine(file), text, isNew, format };
}

/** @throws {UsageError} if the file is not in UTF-8, read-only or changed meanwhile */
async function write(
  { path: file, shown, text: before, isNew }: ConfigFile,
  text: string,
  what: string,
  { output }: ConfigCommandOptions,
): Promise<ExitCode> {
  try {
    await replaceText(file, text, isNew ? undefined : before);
  } catch (error) {
    if (!(error instanceof NotReplacedError)) throw error;
    throw new UsageError(`${shown} is not written: ${error.message}.`);
  }
  output.report(`${output.redact(what)} ${shown}\n`);
  return exitCodes.passed;
}
