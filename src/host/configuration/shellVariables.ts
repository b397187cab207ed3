import { TextPieces } from './textPieces';
import { resolveVariables, type ConfigurationContext, type ResolvedText } from './resolveVariables';

/** `${NAME}` or `${NAME:-default}`. */
const pattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g;

/** As other programs write variables: shells, cmd.exe, PowerShell, make and templates. */
const foreign = String.raw`\$[A-Za-z_]\w*|\$env:\w+|\$\(\w+\)|%[A-Za-z_]\w*%|\{\{\s*[\w.-]+\s*\}\}`;
/** A value as a whole, behind the word before a token or the name of an option. */
const foreignValue = new RegExp(`^(?:(?:Bearer|Basic|Token) +|--?[\\w-]+=)?(${foreign})$`, 'i');
const foreignInAddress = /\{\{[^{}]*\}\}|\$[A-Z_][A-Z0-9_]+|%[A-Z_]{3}[A-Z0-9_]*%/;

/** The variable of another program that a text is, which is sent as it stands. */
export function foreignVariable(text: string): string | undefined {
  const inAddress = /^\w+:\/\//.test(text) ? foreignInAddress.exec(text)?.[0] : undefined;
  return inAddress ?? foreignValue.exec(text)?.[1];
}

/** Names of VS Code, which people carry over. */
const editorNames = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator'];

/**
 * `text` with its variables filled in as in `.mcp.json`: `${NAME}` from the environment, and the
 * default of `${NAME:-default}` where it is not set or empty. One without a value stops the server,
 * as in other clients: half a command is another command. Variables of VS Code are filled in too;
 * inputs are not, because the format has no place to define them.
 */
export function resolveShellVariables(text: string, context: ConfigurationContext): ResolvedText {
  const missing: string[] = [];
  const pieces = new TextPieces();
  let end = 0;
  const problems: ResolvedText['problems'][number][] = [];
  const addRest = (rest: string): void => {
    const resolved = resolveVariables(rest, context, () => undefined);
    problems.push(...resolved.problems);
    pieces.append(resolved.pieces);
  };
  // Piece by piece, so that nothing is looked for in what a variable stands for.
  for (const match of text.matchAll(pattern)) {
    const [variable, name = '', fallback] = match;
    const value: unknown = context.env[name];
    const given = typeof value === 'string' && (value !== '' || fallback === undefined);
    if (!given && fallback === undefined && editorNames.includes(name)) continue;
    addRest(text.slice(end, match.index));
    end = match.index + variable.length;
    if (given) pieces.refer(variable, value);
    else if (fallback !== undefined) pieces.refer(variable, fallback);
    else {
      missing.push(variable);
      pieces.add(variable);
    }
  }
  addRest(text.slice(end));
  return {
    text: pieces.text,
    problems: [
      ...missing.map((variable) => ({ code: 'missingVariable', variable, fatal: true }) as const),
      ...problems,
    ],
    inputs: [],
    pieces: pieces.all,
  };
}
