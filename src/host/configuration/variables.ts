import path from 'node:path';
import type { Node } from 'jsonc-parser';
import { propertiesOf } from './configurationProblems';
import type { InputDefinition, TextPiece, WrittenText } from './serverConfig';

export interface WorkspaceFolder {
  readonly name: string;
  readonly path: string;
}

/**
 * The values for the variables of a configuration, and access to the files that its entries name.
 */
export interface ConfigurationContext {
  readonly workspaceFolders: readonly WorkspaceFolder[];
  /** The folder of the configuration; undefined for a user setting. */
  readonly folder?: WorkspaceFolder;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the value of an editor setting, for `${config:…}`. */
  readonly setting?: (key: string) => unknown;
  /** Returns true if the value of a setting is not the user's own. Defaults to false. */
  readonly isForeignSetting?: (key: string) => boolean;
  /** Reads a file that an entry names (`envFile`). May throw. */
  readonly readFile: (path: string) => string;
}

export interface VariableProblem {
  readonly code: 'missingVariable' | 'unsupportedVariable' | 'unknownInput';
  /** The variable as written in the text. */
  readonly variable: string;
  readonly fatal: boolean;
}

const pattern = /\$\{([^{}]*)\}/g;

/**
 * Variables that VS Code resolves and Toolgate does not support, so the text would mean something
 * else.
 */
const unsupported =
  /^(?:(?:command|extensionInstallFolder):.*|(?:relativeF|f)ile.*|fileBasename.*|selectedText|lineNumber|columnNumber|cwd|execPath|defaultBuildTask|workspaceRoot.*)$/;

/** Returns the input of this id, if the configuration has it. */
type FindInput = (id: string) => InputDefinition | undefined;

type Value =
  | string
  /** A value of the user's environment or settings, as opposed to one of the configuration file. */
  | { readonly theirs: string; readonly isForeign?: boolean }
  | { readonly input: InputDefinition }
  | { readonly problem: VariableProblem['code']; readonly fatal: boolean };

export interface ResolvedText {
  readonly text: string;
  readonly problems: readonly VariableProblem[];
  /** Inputs that remain in the text. */
  readonly inputs: readonly InputDefinition[];
  /** The parts of `text` in order. Adjacent plain texts are joined. */
  readonly pieces: readonly TextPiece[];
}

/**
 * Resolves the variables of `text` and leaves those without a value as written. An environment
 * variable that is not set becomes empty, as in VS Code and in a shell, and is reported. Variables
 * of other programs (`${HOME}` for a shell) stay, as in VS Code, and are reported. Inputs stay too:
 * the user is asked when the server starts, not when its configuration is read.
 */
export function resolveVariables(
  text: string,
  context: ConfigurationContext,
  findInput: FindInput,
): ResolvedText {
  const problems: VariableProblem[] = [];
  const inputs: InputDefinition[] = [];
  const pieces = new TextPieces();
  let end = 0;
  for (const { 0: variable, 1: name = '', index } of text.matchAll(pattern)) {
    pieces.add(text.slice(end, index));
    end = index + variable.length;
    const value = valueOf(name, context, findInput);
    if (typeof value === 'string') pieces.add(value);
    else if ('theirs' in value) pieces.refer(variable, value.theirs, value.isForeign);
    else if ('input' in value) {
      inputs.push(value.input);
      pieces.add(variable);
    } else {
      problems.push({ code: value.problem, variable, fatal: value.fatal });
      const isEmpty = value.problem === 'missingVariable' && !value.fatal;
      if (isEmpty) pieces.refer(variable, '');
      else pieces.add(variable);
    }
  }
  pieces.add(text.slice(end));
  return { text: pieces.text, problems, inputs, pieces: pieces.all };
}

/**
 * Returns the folder for variables that name none: the folder of the configuration, or the only
 * one.
 */
export function defaultFolder(context: ConfigurationContext): WorkspaceFolder | undefined {
  if (context.folder !== undefined) return context.folder;
  return context.workspaceFolders.length === 1 ? context.workspaceFolders[0] : undefined;
}

function valueOf(variable: string, context: ConfigurationContext, findInput: FindInput): Value {
  const colon = variable.indexOf(':');
  const name = colon < 0 ? variable : variable.slice(0, colon);
  const argument = colon < 0 ? undefined : variable.slice(colon + 1);
  switch (name) {
    case 'workspaceFolder':
      return folderNamed(argument, context)?.path ?? missing(true);
    case 'workspaceFolderBasename': {
      const folder = folderNamed(argument, context);
      return folder === undefined ? missing(true) : path.basename(folder.path);
    }
    case 'userHome':
      return context.userHome;
    case 'pathSeparator':
    case '/':
      return path.sep;
    case 'env': {
      const value: unknown = context.env[argument ?? ''];
      // The check for a string excludes inherited members such as `__proto__`.
      return typeof value === 'string' ? { theirs: value } : missing(false);
    }
    case 'config': {
      const value = context.setting?.(argument ?? '');
      const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
      const isForeign = context.isForeignSetting?.(argument ?? '') === true;
      return isPlain ? { theirs: String(value), isForeign } : missing(true);
    }
    case 'input': {
      const input = findInput(argument ?? '');
      return input === undefined ? { problem: 'unknownInput', fatal: true } : { input };
    }
    default:
      return { problem: 'unsupportedVariable', fatal: unsupported.test(variable) };
  }
}

function missing(fatal: boolean): Value {
  return { problem: 'missingVariable', fatal };
}

function folderNamed(
  name: string | undefined,
  context: ConfigurationContext,
): WorkspaceFolder | undefined {
  if (name === undefined) return defaultFolder(context);
  return context.workspaceFolders.find((folder) => folder.name === name);
}

/** Builds a text and remembers which parts are resolved references. */
class TextPieces {
  readonly #pieces: TextPiece[] = [];
  #plain = '';

  add(text: string): void {
    this.#plain += text;
  }

  /** Adds a reference as written, with its value. */
  refer(reference: string, value: string, isForeign = false): void {
    this.#close();
    this.#pieces.push({ reference, value, ...(isForeign ? { isForeign } : {}) });
  }

  /** Appends the pieces of a part that was built before. */
  append(pieces: readonly TextPiece[]): void {
    for (const piece of pieces) {
      if ('text' in piece) this.add(piece.text);
      else this.refer(piece.reference, piece.value, piece.isForeign);
    }
  }

  /** The pieces. Adjacent plain texts are joined, and none is empty. */
  get all(): readonly TextPiece[] {
    this.#close();
    return this.#pieces;
  }

  /** The text with the values of its references. */
  get text(): string {
    return this.all.map((piece) => ('text' in piece ? piece.text : piece.value)).join('');
  }

  #close(): void {
    if (this.#plain !== '') this.#pieces.push({ text: this.#plain });
    this.#plain = '';
  }
}

/** Keys of an entry with texts, and what they describe. */
const places: readonly (readonly [key: string, part: WrittenText['part']])[] = [
  ['command', 'command'],
  ['args', 'argument'],
  ['cwd', 'folder'],
  ['envFile', 'file'],
  ['env', 'variable'],
  ['url', 'address'],
  ['headers', 'header'],
  ['oauth', 'signIn'],
  ['toolgate', 'signIn'],
];

/**
 * Returns the texts of an entry that refer to the user's environment or settings, as far as they
 * were read.
 */
export function writtenTexts(
  values: ReadonlyMap<string, Node>,
  pieces: ReadonlyMap<Node, readonly TextPiece[]>,
): readonly WrittenText[] {
  return places.flatMap(([key, part]) => {
    const value = values.get(key);
    return value === undefined
      ? []
      : textsIn(value).flatMap(({ node, name }): WrittenText[] => {
          const own = pieces.get(node);
          if (own === undefined || !own.some((piece) => 'reference' in piece)) return [];
          return [{ part, pieces: own, ...(name === undefined ? {} : { name }) }];
        });
  });
}

function textsIn(value: Node): { readonly node: Node; readonly name?: string | number }[] {
  const { type, children = [] } = value;
  if (type === 'array') return children.map((node, name) => ({ node, name }));
  if (type !== 'object') return [{ node: value }];
  return propertiesOf(value, () => {}).map(({ name, value: node }) => ({ node, name }));
}

/** Matches `${NAME}` or `${NAME:-default}`. */
export const shellPattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g;

/** Variables in the syntax of shells, cmd.exe, PowerShell, make and templates. */
const foreign = String.raw`\$[A-Za-z_]\w*|\$env:\w+|\$\(\w+\)|%[A-Za-z_]\w*%|\{\{\s*[\w.-]+\s*\}\}`;
/** Matches a complete value, after an authentication scheme or an option name. */
const foreignValue = new RegExp(`^(?:(?:Bearer|Basic|Token) +|--?[\\w-]+=)?(${foreign})$`, 'i');
const foreignInAddress = /\{\{[^{}]*\}\}|\$[A-Z_][A-Z0-9_]+|%[A-Z_]{3}[A-Z0-9_]*%/;

/** Returns the variable of another program that makes up the text, which is sent unresolved. */
export function foreignVariable(text: string): string | undefined {
  const inAddress = /^\w+:\/\//.test(text) ? foreignInAddress.exec(text)?.[0] : undefined;
  return inAddress ?? foreignValue.exec(text)?.[1];
}

/** Variables of VS Code that are often used here by mistake. */
export const editorNames = [
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
];

/**
 * Resolves variables as in `.mcp.json`: `${NAME}` from the environment, and the default of
 * `${NAME:-default}` if the variable is not set or empty. A variable without a value is fatal, as
 * in other clients, because half a command is another command. Variables of VS Code are resolved
 * too. Inputs are not, because the format cannot define them.
 */
export function resolveShellVariables(text: string, context: ConfigurationContext): ResolvedText {
  const unset: string[] = [];
  const pieces = new TextPieces();
  let end = 0;
  const problems: ResolvedText['problems'][number][] = [];
  const addRest = (rest: string): void => {
    const resolved = resolveVariables(rest, context, () => undefined);
    problems.push(...resolved.problems);
    pieces.append(resolved.pieces);
  };
  // Resolves piece by piece, so that values are not resolved again.
  for (const match of text.matchAll(shellPattern)) {
    const [variable, name = '', fallback] = match;
    const value: unknown = context.env[name];
    const given = typeof value === 'string' && (value !== '' || fallback === undefined);
    if (!given && fallback === undefined && editorNames.includes(name)) continue;
    addRest(text.slice(end, match.index));
    end = match.index + variable.length;
    if (given) pieces.refer(variable, value);
    else if (fallback !== undefined) pieces.refer(variable, fallback, true);
    else {
      unset.push(variable);
      pieces.add(variable);
    }
  }
  addRest(text.slice(end));
  return {
    text: pieces.text,
    problems: [
      ...unset.map((variable) => ({ code: 'missingVariable', variable, fatal: true }) as const),
      ...problems,
    ],
    inputs: [],
    pieces: pieces.all,
  };
}
