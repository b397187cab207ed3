import path from 'node:path';

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
  /** Text of a file that an entry names (`envFile`). May throw. */
  readonly readFile: (path: string) => string;
}

export interface VariableProblem {
  readonly code: 'missingVariable' | 'unsupportedVariable';
  /** The variable as it stands in the text. */
  readonly variable: string;
  readonly fatal: boolean;
}

const pattern = /\$\{([^{}]*)\}/g;

/** Variables that VS Code would fill in and we do not (yet), so the text means something else. */
const unsupported =
  /^(?:(?:input|config|command|extensionInstallFolder):.*|(?:relativeF|f)ile.*|fileBasename.*|selectedText|lineNumber|columnNumber|cwd|execPath|defaultBuildTask|workspaceRoot.*)$/;

type Value = string | { readonly problem: VariableProblem['code']; readonly fatal: boolean };

/**
 * `text` with its variables filled in; what cannot be filled in stays as it stands. An environment
 * variable that is not set is empty, as in VS Code and a shell, and noted. What is no variable of
 * VS Code (`${HOME}` for a shell to fill in) stays, as in VS Code, and is noted.
 */
export function resolveVariables(
  text: string,
  context: ConfigurationContext,
): { readonly text: string; readonly problems: readonly VariableProblem[] } {
  const problems: VariableProblem[] = [];
  const resolved = text.replace(pattern, (variable: string, name: string) => {
    const value = valueOf(name, context);
    if (typeof value === 'string') return value;
    problems.push({ code: value.problem, variable, fatal: value.fatal });
    return value.problem === 'missingVariable' && !value.fatal ? '' : variable;
  });
  return { text: resolved, problems };
}

/** The folder that counts when none is named: the configuration's own, or the only one. */
export function defaultFolder(context: ConfigurationContext): WorkspaceFolder | undefined {
  if (context.folder !== undefined) return context.folder;
  return context.workspaceFolders.length === 1 ? context.workspaceFolders[0] : undefined;
}

function valueOf(variable: string, context: ConfigurationContext): Value {
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
      return typeof value === 'string' ? value : missing(false);
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
