import { resolveVariables, type ConfigurationContext, type ResolvedText } from './variables';

/** `${NAME}` or `${NAME:-default}`. */
const pattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g;

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
  let known = '';
  let end = 0;
  const problems: ResolvedText['problems'][number][] = [];
  const resolveRest = (rest: string): string => {
    const resolved = resolveVariables(rest, context, () => undefined);
    problems.push(...resolved.problems);
    return resolved.text;
  };
  // Piece by piece, so that nothing is looked for in what a variable stands for.
  for (const match of text.matchAll(pattern)) {
    const [variable, name = '', fallback] = match;
    const value: unknown = context.env[name];
    const given = typeof value === 'string' && (value !== '' || fallback === undefined);
    if (!given && fallback === undefined && editorNames.includes(name)) continue;
    known += resolveRest(text.slice(end, match.index));
    end = match.index + variable.length;
    if (given) known += value;
    else if (fallback !== undefined) known += fallback;
    else {
      missing.push(variable);
      known += variable;
    }
  }
  const resolved = known + resolveRest(text.slice(end));
  return {
    text: resolved,
    problems: [
      ...missing.map((variable) => ({ code: 'missingVariable', variable, fatal: true }) as const),
      ...problems,
    ],
    inputs: [],
  };
}
