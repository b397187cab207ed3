import { assertNever } from '../errors';
import type { CallFile } from './callFile';
import type { Variable } from './callFileVariables';
import { variablesOfCall, type FillableCall } from './callVariables';

/**
 * Kinds of values that a call file can put into arguments without holding them. Whoever wrote the
 * file chose which server gets them, so rules do not cover them. `password` is an input that is kept in secret storage,
 * `answer` what another server answered,
 * `toQuestions` stands for answers of the file itself to questions that the server asks the user.
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

/** Tells where the answer came from that a variable takes its value from. */
export type IsOtherServer = (variable: Extract<Variable, { kind: 'call' }>) => boolean;

/**
 * The kinds of values that `call` takes, each once, in the order of the text, but for variables of
 * which `isGiven` says that the user named them for call files.
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
 * Whether such a call is asked about every time. With a secret, a permission for its arguments would
 * be a hash on disk from which a short secret can be guessed; answers to questions are no part of
 * the arguments.
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
