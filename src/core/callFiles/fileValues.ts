import { assertNever } from '../errors';
import type { CallFile } from './callFile';
import type { Variable } from './callFileVariables';
import { variablesOfCall, type FillableCall } from './callVariables';

/**
 * Kinds of values that a call file can put into arguments without containing them. The author of
 * the file chose which server gets them, so rules do not cover them. `password` is an input from
 * secret storage, `answer` comes from another server, and `toQuestions` means that the file itself
 * answers questions of the server.
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
  'toQuestions',
] as const;
export type FileValueKind = (typeof fileValueKinds)[number];

/** Returns true if the answer that a variable refers to came from another server. */
export type IsOtherServer = (variable: Extract<Variable, { kind: 'call' }>) => boolean;

/**
 * Returns the distinct kinds of values that `call` uses, in document order.
 * @param isGiven True for variables that the user listed for call files, which are excluded.
 */
export function fileValuesOf(
  { inputs }: Pick<CallFile, 'inputs'>,
  call: FillableCall,
  isOtherServer: IsOtherServer,
  isGiven: (variable: Variable) => boolean = () => false,
): readonly FileValueKind[] {
  const kinds = variablesOfCall(call)
    .filter(({ variable, isSent }) => isSent && !isGiven(variable))
    .map(({ variable }) => kindOf(variable, inputs, isOtherServer));
  const { answers = [] } = call;
  const own = answers.length === 0 ? [] : (['toQuestions'] as const);
  return [...new Set([...kinds, ...own])].filter((kind) => kind !== undefined);
}

/**
 * True if such a call always asks. For a call with a secret, a stored permission would be a hash
 * from which a short secret can be guessed; answers to questions are not part of the arguments.
 */
export function areAlwaysAsked(kinds: readonly FileValueKind[]): boolean {
  return kinds.some((kind) => kind === 'env' || kind === 'password' || kind === 'toQuestions');
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
