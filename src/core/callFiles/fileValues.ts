import { assertNever } from '../errors';
import type { CallFile, FileCall } from './callFile';
import { variablesIn, type Variable } from './callFileVariables';

/**
 * Kinds of values that a call file can put into arguments without holding them. Whoever wrote the
 * file chose which server gets them, so rules do not cover them. `password` is an input that is kept in secret storage,
 * `answer` what another server answered.
 */
export const fileValueKinds = [
  'env',
  'input',
  'password',
  'var',
  'workspaceFolder',
  'file',
  'selectedText',
  'answer',
] as const;
export type FileValueKind = (typeof fileValueKinds)[number];

/** Tells where the answer came from that a variable takes its value from. */
export type IsOtherServer = (variable: Extract<Variable, { kind: 'call' }>) => boolean;

/**
 * The kinds of values that `call` takes, each once, in the order of the text, but for variables of
 * which `isGiven` says that the user named them for call files.
 */
export function fileValuesOf(
  { inputs }: Pick<CallFile, 'inputs'>,
  { arguments: given = {} }: Pick<FileCall, 'arguments'>,
  isOtherServer: IsOtherServer,
  isGiven: (variable: Variable) => boolean = () => false,
): readonly FileValueKind[] {
  const kinds = variablesIn(given)
    .filter(({ variable }) => !isGiven(variable))
    .map(({ variable }) => kindOf(variable, inputs, isOtherServer));
  return [...new Set(kinds)].filter((kind) => kind !== undefined);
}

/**
 * Whether one of them may be a secret. Such a call is asked about every time: a permission for its
 * arguments would be a hash on disk from which a short secret can be guessed.
 */
export function haveSecrets(kinds: readonly FileValueKind[]): boolean {
  return kinds.includes('env') || kinds.includes('password');
}

function kindOf(
  variable: Variable,
  inputs: CallFile['inputs'],
  isOtherServer: IsOtherServer,
): FileValueKind | undefined {
  switch (variable.kind) {
    case 'env':
    case 'var':
    case 'workspaceFolder':
    case 'file':
    case 'selectedText':
      return variable.kind;
    case 'input':
      return inputs.get(variable.name)?.isPassword === true ? 'password' : 'input';
    case 'call':
      return isOtherServer(variable) ? 'answer' : undefined;
    case 'generated':
      return undefined;
    default:
      return assertNever(variable);
  }
}
