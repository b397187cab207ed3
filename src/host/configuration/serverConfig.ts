import type { OAuthConfiguration } from '../../core/auth/ports';
import type { PinnedEra } from '../../core/types';
import { McpError } from '../../core/errors';

/**
 * A configured server, whichever file or setting it came from. `configuration.ts` makes these from
 * unknown JSON.
 */

/** The place where a server was configured. The path is used by "Open Server Configuration". */
export type ConfigSource =
  /** `folder` is the path of the workspace folder, `path` that of the file. */
  | {
      readonly kind: 'workspaceFile';
      readonly path: string;
      readonly folder: string;
      /** Set if it differs from the format of the location. */
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
  /** A recording that the user replays as a server, with its path. */
  | { readonly kind: 'recording'; readonly path: string };

/** The pinned era; undefined if it is detected. */
interface PinnedTransport {
  readonly era?: PinnedEra;
}

export interface StdioServerTransport extends PinnedTransport {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** `null` unsets an inherited variable. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
  /**
   * The recording that answers instead of a process. The command would replay the same recording.
   */
  readonly recording?: ReplayedServer;
}

/** The recording's file, and the id of the server in it. */
export interface ReplayedServer {
  readonly file: string;
  readonly server: string;
}

export interface HttpServerTransport extends PinnedTransport {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the entry has no sign-in options. A header `Authorization` takes precedence. */
  readonly oauth?: OAuthConfiguration;
}

/** True if the entry sets its own `Authorization` header, which replaces a sign-in. */
export function hasAuthorizationHeader({ headers }: Pick<HttpServerTransport, 'headers'>): boolean {
  return Object.keys(headers).some((name) => /^authorization$/i.test(name));
}

/** A part of a text of an entry. */
export type TextPiece =
  | { readonly text: string }
  /**
   * A reference such as `${env:TOKEN}` as written, and its value. `isForeign`: the value is a text of
   * a file, which a repository may contain: the default of the reference, or a setting that is not
   * the user's.
   */
  | { readonly reference: string; readonly value: string; readonly isForeign?: true };

/** A text of an entry that refers to the user's environment or settings. */
export interface WrittenText {
  readonly part:
    | 'command'
    | 'argument'
    | 'folder'
    | 'file'
    | 'variable'
    | 'address'
    | 'header'
    | 'signIn';
  /** Name of the variable, header or member of `oauth`, or index of the argument. */
  readonly name?: string | number;
  readonly pieces: readonly TextPiece[];
}

/** A file of variables that an entry names. */
export interface EnvFile {
  readonly path: string;
  /** Names of the variables that come from the file unchanged. */
  readonly names: readonly string[];
}

/**
 * Definition of `${input:id}` in one configuration. The same id in another configuration is another
 * input.
 */
export type InputDefinition = PromptInput | PickInput | CommandInput;

interface Input {
  readonly id: string;
  /** The configuration that defines it. Values entered for one file are not used for another. */
  readonly source: ConfigSource;
  /** Text from the file; untrusted. */
  readonly description?: string;
}

export interface PromptInput extends Input {
  readonly kind: 'promptString';
  /** True if it is entered masked and stored in secret storage. */
  readonly isPassword: boolean;
  /** Prefilled, but never used without the user. */
  readonly default?: string;
}

export interface PickInput extends Input {
  readonly kind: 'pickString';
  /** At least one. A stored value that is not among them is asked for again. */
  readonly options: readonly InputOption[];
  readonly default?: string;
}

export interface InputOption {
  readonly value: string;
  readonly label: string;
}

/** An input that an editor command answers. The value is not stored. */
export interface CommandInput extends Input {
  readonly kind: 'command';
  readonly command: string;
  /** Plain JSON data. */
  readonly args?: unknown;
}

export interface ServerConfig {
  /**
   * The name in the configuration. Ids are unique, because a duplicate is a problem and not a
   * server.
   */
  readonly id: string;
  readonly label: string;
  readonly source: ConfigSource;
  /** The transport with its inputs as written; `fillInputs` fills them in for a start. */
  readonly transport: StdioServerTransport | HttpServerTransport;
  /**
   * Globs below the server's folder. A change of a matching file restarts the server. Undefined if
   * there are none.
   */
  readonly watch?: readonly string[];
  /**
   * Texts of `transport` that refer to the user's environment or settings. Undefined if there are
   * none.
   */
  readonly written?: readonly WrittenText[];
  readonly envFile?: EnvFile;
  /** Names of the only tools that the entry offers. Undefined if it offers all. */
  readonly tools?: readonly string[];
  /** Inputs in `transport`, in order of occurrence. Undefined if there are none. */
  readonly inputs?: readonly InputDefinition[];
}

/** A problem in a configuration, with its position. `ui` makes the sentences. */
export interface ConfigProblem {
  readonly code:
    | 'notJson'
    | 'notAnObject'
    | 'unknownKey'
    /**
     * The key of the other format, which Toolgate reads but other programs do not. The detail is
     * the expected key.
     */
    | 'foreignKey'
    /** A known key that is not supported. Running without it could be unwanted. */
    | 'unsupportedKey'
    /** The key occurs twice; the last one counts. */
    | 'duplicateKey'
    | 'wrongType'
    | 'missingCommand'
    | 'missingVariable'
    | 'unsupportedVariable'
    /** `${input:…}` without a definition. */
    | 'unknownInput'
    | 'invalidUrl'
    /** An earlier configuration has a server of this name, which takes precedence. */
    | 'shadowed'
    /** The entry is the bridge by which agents reach Toolgate; it is there for other programs. */
    | 'ownBridge'
    /** A variable or header with the name of a secret contains a literal text. */
    | 'literalSecret'
    /** Sign-in options beside a header `Authorization`, which is sent instead. */
    | 'signInUnused'
    /** Access by a company's identity lacks an option, which the detail names. */
    | 'incompleteSignIn'
    | 'programMissing'
    /** The program is in a place where other clients may not look; the detail is its full path. */
    | 'programElsewhere'
    | 'unreadable'
    | 'isFolder'
    | 'notAFile'
    | 'noPermission'
    | 'linkLoop'
    | 'tooLarge';
  readonly source: ConfigSource;
  /** The affected server, if the problem has one. */
  readonly server?: string;
  /** Path inside the JSON, for the message and to find the position. */
  readonly path: readonly (string | number)[];
  /** Character range in the file, if known. */
  readonly offset?: number;
  readonly length?: number;
  /** Line of the first error in a text that is not JSON, counted from 1. */
  readonly line?: number;
  readonly detail?: string;
  /** True if the server cannot be started because of it. */
  readonly fatal: boolean;
}

const variableCodes: readonly string[] = ['missingVariable', 'unsupportedVariable', 'unknownInput'];

/**
 * Throws if the configuration has a fatal problem.
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
 * Returns a key that identifies a server over restarts and changes of its configuration: its
 * location and its id. Servers of the same name in different files or folders have different keys.
 * The key is plain text, but no file name.
 */
export function serverKey({ id, source }: Pick<ServerConfig, 'id' | 'source'>): string {
  const place = [
    ...('folder' in source ? [source.folder] : []),
    ...('path' in source ? [source.path] : []),
  ];
  // JSON, because paths and ids may contain any separator.
  return JSON.stringify([source.kind, ...place, id]);
}
