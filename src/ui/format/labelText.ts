import { escapeIcons, visibleText } from '../../core/visibleText';

/** Returns a foreign text as one line for a label, in which VS Code sees no icons. */
export function labelText(text: string, maxChars = 200): string {
  return escapeIcons(visibleText(text, maxChars));
}
