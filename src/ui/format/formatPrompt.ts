import type { PromptArgument, ServerPrompt } from '../../core/parse/parsePrompts';

/** Returns the arguments in the order in which they are asked for: the required ones first. */
export function promptArguments({ arguments: all }: ServerPrompt): readonly PromptArgument[] {
  return all.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}
