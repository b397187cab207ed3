/** What VS Code knows at a place: its own keys and ours. */
export type Situation = Readonly<Record<string, string | boolean>>;

/**
 * Whether a condition of the manifest holds there. Knows what our conditions use: terms that are
 * joined by `&&`. Throws at anything else, and at a key that the situation does not have.
 */
export function holds(condition: string | undefined, situation: Situation): boolean {
  if (condition === undefined) return true;
  // A command that the palette hides.
  if (condition === 'false') return false;
  // All of them, so that every key is looked at.
  return condition
    .split(' && ')
    .map((term) => termHolds(term, situation))
    .every(Boolean);
}

function termHolds(term: string, situation: Situation): boolean {
  const parts = /^(!?)([\w.]+)(?: (==|!=|=~|!~) (\/.*\/|[\w.-]+))?$/.exec(term);
  if (parts === null) throw new Error(`A term that is not understood: ${term}`);
  const [, not, key = '', operator, operand = ''] = parts;
  const value = situation[key];
  if (value === undefined) throw new Error(`There is no ${key} here: ${term}`);
  if (operator === undefined) return (not === '!') !== (value !== false && value !== '');
  const pattern = /^\/(.*)\/$/.exec(operand)?.[1];
  const fits =
    operator.includes('~') && pattern !== undefined
      ? new RegExp(pattern).test(String(value))
      : String(value) === operand;
  return operator.startsWith('!') !== fits;
}
