import type { Tool, ToolProblem } from './types';
import { hasHiddenCharacters, hasInvisibleCharacters } from './visibleText';

/** Joiners and combining marks are slow to judge, so only the beginning of a text is checked. */
const maxJudgedChars = 4_000;

/**
 * Returns all problems of a tool: those found while parsing, and texts with hidden characters. The
 * latter are checked only for display, because checking all texts of a list of 10,000 tools would
 * double the time to parse it.
 */
export function toolProblems(tool: Tool): readonly ToolProblem[] {
  const hidden = texts(tool).filter(([, text]) => hides(text));
  if (hidden.length === 0) return tool.problems;
  return [
    ...tool.problems,
    ...hidden.map(([field]): ToolProblem => ({ code: 'hiddenCharacters', detail: field })),
  ];
}

/** True if {@link toolProblems} would report hidden characters. */
export function hidesCharacters(tool: Tool): boolean {
  return texts(tool).some(([, text]) => hides(text));
}

/** Returns all texts of a tool. */
function texts(tool: Tool): readonly (readonly [field: string, text: string | undefined])[] {
  return [
    ['name', tool.name],
    ['title', tool.title],
    ['annotations.title', tool.annotations.title],
    ['description', tool.description],
  ];
}

/** True if the text has characters that are not seen, or that change how others are seen. */
export function hides(text = ''): boolean {
  return hasInvisibleCharacters(text) || hasHiddenCharacters(text, maxJudgedChars);
}
