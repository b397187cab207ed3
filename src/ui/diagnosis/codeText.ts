import { visibleText } from '../../core/visibleText';

const maxChars = 1_000;

/** Returns foreign text as Markdown code, which is rendered unchanged. */
export function codeText(text: string): string {
  return `\`${visibleText(text, maxChars).replaceAll('`', "'")}\``;
}
