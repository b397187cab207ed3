import type { Tool, ToolProblem } from './types';
import { hasHiddenCharacters, hasInvisibleCharacters } from './visibleText';

/** Joiners and combining marks are judged piece by piece, so a long text is not read to its end. */
const maxJudgedChars = 4_000;

/**
 * Everything that is odd about a tool: what parsing noted, and which of its texts hide characters.
 * That is found out here, for what is shown, because looking at every text of a list of 10,000
 * tools would double the time that parsing it takes.
 */
export function toolProblems(tool: Tool): readonly ToolProblem[] {
  const hidden = texts(tool).filter(([, text]) => hides(text));
  if (hidden.length === 0) return tool.problems;
  return [
    ...tool.problems,
    ...hidden.map(([field]): ToolProblem => ({ code: 'hiddenCharacters', detail: field })),
  ];
}

/** Whether {@link toolProblems} would say so. */
export function hidesCharacters(tool: Tool): boolean {
  return texts(tool).some(([, text]) => hides(text));
}

/** Everything that a server says about a tool in words. */
function texts(tool: Tool): readonly (readonly [field: string, text: string | undefined])[] {
  return [
    ['name', tool.name],
    ['title', tool.title],
    ['annotations.title', tool.annotations.title],
    ['description', tool.description],
  ];
}

function hides(text = ''): boolean {
  return hasInvisibleCharacters(text) || hasHiddenCharacters(text, maxJudgedChars);
}
