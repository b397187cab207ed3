import path from 'node:path';
import type { InputDefinition, TextPiece } from './serverConfig';
import { TextPieces } from './textPieces';

export interface WorkspaceFolder {
  readonly name: string;
  readonly path: string;
}

/** What the variables of a configuration stand for, and what else its entries refer to. */
export interface ConfigurationContext {
  readonly workspaceFolders: readonly WorkspaceFolder[];
  /** The folder that the configuration belongs to; a user setting belongs to none. */
  readonly folder?: WorkspaceFolder;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of a setting of the editor, for `${config:…}`. */
  readonly setting?: (key: string) => unknown;
  /** Text of a file that an entry names (`envFile`). May throw. */
  readonly readFile: (path: string) => string;
}

export interface VariableProblem {
  readonly code: 'missingVariable' | 'unsupportedVariable' | 'unknownInput';
  /** The variable as it stands in the text. */
  readonly variable: string;
  readonly fatal: boolean;
}

const pattern = /\$\{([^{}]*)\}/g;

/** Variables that VS Code would fill in and we do not (yet), so the text means something else. */
const unsupported =
  /^(?:(?:command|extensionInstallFolder):.*|(?:relativeF|f)ile.*|fileBasename.*|selectedText|lineNumber|columnNumber|cwd|execPath|defaultBuildTask|workspaceRoot.*)$/;

/** The input of an id, if the configuration has it. */
type FindInput = (id: string) => InputDefinition | undefined;

type Value =
  | string
  /** From the person's environment or settings, and not from the file that names it. */
  | { readonly theirs: string }
  | { readonly input: InputDefinition }
  | { readonly problem: VariableProblem['code']; readonly fatal: boolean };

export interface ResolvedText {
  readonly text: string;
  readonly problems: readonly VariableProblem[];
  /** Those that stand in the text still. */
  readonly inputs: readonly InputDefinition[];
  /** What `text` consists of, in order; no two plain texts follow each other. */
  readonly pieces: readonly TextPiece[];
}

/**
 * `text` with its variables filled in; what cannot be filled in stays as it stands. An environment
 * variable that is not set is empty, as in VS Code and a shell, and noted. What is no variable of
 * VS Code (`${HOME}` for a shell to fill in) stays, as in VS Code, and is noted. Inputs stay too:
 * they are asked for when the server starts, and not when its configuration is read.
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
    else if ('theirs' in value) pieces.refer(variable, value.theirs);
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

/** The folder that counts when none is named: the configuration's own, or the only one. */
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
      // Not a string: a name like `__proto__` finds what every object has.
      return typeof value === 'string' ? { theirs: value } : missing(false);
    }
    case 'config': {
      const value = context.setting?.(argument ?? '');
      const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
      return isPlain ? { theirs: String(value) } : missing(true);
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
