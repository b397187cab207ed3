import type { Tool } from '../../core/types';
import { visibleText } from '../../core/visibleText';

const maxTitleChars = 200;

/**
 * Returns the title of a tool, else the title among its annotations, else its name, as
 * short plain text. Returns `''` only if the definition has none of them.
 */
export function toolTitle(tool: Tool): string {
  const title = [tool.title, tool.annotations.title, tool.name].find(
    (text) => text !== undefined && text.trim() !== '',
  );
  return title === undefined ? '' : visibleText(title, maxTitleChars);
}

/** Returns the name as plain text, for places that show it beside the title. */
export function toolNameText(tool: Tool): string {
  return visibleText(tool.name, maxTitleChars);
}
