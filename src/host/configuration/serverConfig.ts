import type { OAuthConfiguration } from '../../core/auth/ports';
import type { PinnedEra } from '../../core/types';
import { McpError } from '../../core/errors';

/**
 * A configured server as the product knows it, whichever file or setting it came from.
 * `configuration.ts` makes these from unknown JSON.
 */

/** Where a server was configured; the path is for "Open Server Configuration". */
export type ConfigSource =
  /** `folder` is the path of the workspace folder, `path` that of the file. */
  | {
      readonly kind: 'workspaceFile';
      readonly path: string;
      readonly folder: string;
      /** Where it is not that of the place. */
      readonly format?: 'vscode' | 'mcpServers';
    }
  /** The `mcp.json` beside the user settings. */
  | {
      readonly kind: 'userFile';
      readonly path: string;
      readonly format?: 'vscode' | 'mcpServers';
    }
  | { readonly kind: 'setting' }
  | { readonly kind: 'demo' }
  /** The person lets a recording answer; the path is its. */
  | { readonly kind: 'recording'; readonly path: string };

/** What a server is known to speak; absent: it is found out. */
interface PinnedTransport {
  readonly era?: PinnedEra;
}

export interface StdioServerTransport extends PinnedTransport {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** `null` unsets a variable that would be passed on. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
  /** It answers from this recording, without a process; the command would do the same as one. */
  readonly recording?: ReplayedServer;
}

/** The file, and the id of the server in it. */
export interface ReplayedServer {
  readonly file: string;
  readonly server: string;
}

export interface HttpServerTransport extends PinnedTransport {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent where the entry says nothing of a sign-in; a header `Authorization` comes before it. */
  readonly oauth?: OAuthConfiguration;
}

/** A part of a text of an entry. */
export type TextPiece =
  | { readonly text: string }
  /** `${env:TOKEN}` as it is written, and what it stands for. */
  | { readonly reference: string; readonly value: string };

/** A text of an entry that names something of the person's environment or settings. */
export interface WrittenText {
  readonly part:
    'command' | 'argument' | 'folder' | 'file' | 'variable' | 'address' | 'header' | 'signIn';
  /** Of the variable, header or member of `oauth`, or the index of the argument. */
  readonly name?: string | number;
  readonly pieces: readonly TextPiece[];
}

/** A file of variables that an entry names. */
export interface EnvFile {
  readonly path: string;
  /** Of the variables that come from it and stay as they are there. */
  readonly names: readonly string[];
}

/** What `${input:id}` stands for in one configuration; two of the same id elsewhere are two. */
export type InputDefinition = PromptInput | PickInput | CommandInput;

interface Input {
  readonly id: string;
  /** Where it is defined: what was typed for one file is nothing to another. */
  readonly source: ConfigSource;
  /** From the file: untrusted. */
  readonly description?: string;
}

export interface PromptInput extends Input {
  readonly kind: 'promptString';
  /** Typed unseen, and kept where secrets are kept. */
  readonly isPassword: boolean;
  /** Offered, never taken without a person. */
  readonly default?: string;
}

export interface PickInput extends Input {
  readonly kind: 'pickString';
  /** At least one. A value that was remembered and is none of these is asked for again. */
  readonly options: readonly InputOption[];
  readonly default?: string;
}

export interface InputOption {
  readonly value: string;
  readonly label: string;
}

/** The value is what a command of the editor answers; it is not remembered. */
export interface CommandInput extends Input {
  readonly kind: 'command';
  readonly command: string;
  /** Plain JSON data. */
  readonly args?: unknown;
}

export interface ServerConfig {
  /** The name in the configuration; unique, because a shadowed twin is a problem, not a server. */
  readonly id: string;
  readonly label: string;
  readonly source: ConfigSource;
  /** Its inputs stand in it as they are written; `fillInputs` fills them in for a start. */
  readonly transport: StdioServerTransport | HttpServerTransport;
  /** What restarts it while it is written, as globs below its folder; absent where nothing does. */
  readonly watch?: readonly string[];
  /** Of the texts in `reach` those that name something of the person's; absent where none does. */
  readonly written?: readonly WrittenText[];
  readonly envFile?: EnvFile;
  /** Those that stand in `reach`, in their order; absent where none does. */
  readonly inputs?: readonly InputDefinition[];
}

/** Something wrong with a configuration, at its place; sentences are made in ui/. */
export interface ConfigProblem {
  readonly code:
    | 'notJson'
    | 'notAnObject'
    | 'unknownKey'
    /** The key of the other format, which is read here but not by others; the detail is theirs. */
    | 'foreignKey'
    /** Known, but not here: running without it would not be what the person asked for. */
    | 'unsupportedKey'
    /** Stands twice; the last one counts. */
    | 'duplicateKey'
    | 'wrongType'
    | 'missingCommand'
    | 'missingVariable'
    | 'unsupportedVariable'
    /** `${input:…}` without a definition. */
    | 'unknownInput'
    | 'invalidUrl'
    /** Another configuration before has a server of this name, and that one counts. */
    | 'shadowed'
    /** It is the bridge by which agents reach us; for them it stands here. */
    | 'ownBridge'
    /** A variable or header of a secret's name holds a text as it is. */
    | 'literalSecret'
    /** What is said of a sign-in beside a header `Authorization`, which is sent instead. */
    | 'signInUnused'
    /** Access by the identity of a company lacks a part; the detail names it. */
    | 'incompleteSignIn'
    | 'programMissing'
    /** Found where other clients may not look; the detail is its full path. */
    | 'programElsewhere'
    | 'unreadable'
    | 'isFolder'
    | 'notAFile'
    | 'noPermission'
    | 'linkLoop'
    | 'tooLarge';
  readonly source: ConfigSource;
  /** The server it is about, if it is about one. */
  readonly server?: string;
  /** Path inside the JSON, for the message and for finding the place. */
  readonly path: readonly (string | number)[];
  /** Character range in the file, where known. */
  readonly offset?: number;
  readonly length?: number;
  readonly detail?: string;
  /** Whether the server cannot be started because of it. */
  readonly fatal: boolean;
}

const variableCodes: readonly string[] = ['missingVariable', 'unsupportedVariable', 'unknownInput'];

/**
 * Lets pass what can be started.
 * @throws {McpError} missingVariable | invalidConfiguration
 */
export function throwIfUnusable(problems: readonly ConfigProblem[]): void {
  const fatal = problems.find((problem) => problem.fatal);
  if (fatal === undefined) return;
  const isVariable = variableCodes.includes(fatal.code);
  const code = isVariable ? 'missingVariable' : 'invalidConfiguration';
  throw new McpError(code, { detail: fatal.detail ?? fatal.path.join('.') });
}

/**
 * What a server is known by over restarts and changes of its configuration: where it is configured,
 * and its id there. Two servers of one name in different files or folders are two. Plain text, but
 * no name for a file.
 */
export function serverKey({ id, source }: Pick<ServerConfig, 'id' | 'source'>): string {
  const place = [
    ...('folder' in source ? [source.folder] : []),
    ...('path' in source ? [source.path] : []),
  ];
  // JSON, because paths and ids may hold any separator.
  return JSON.stringify([source.kind, ...place, id]);
}
