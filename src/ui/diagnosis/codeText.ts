import { visibleText } from '../../core/visibleText';

const maxChars = 1_000;

/** Text from outside as code, which Markdown draws as it stands. */
export function codeText(text: string): string {
  return `\`${visibleText(text, maxChars).replaceAll('`', "'")}\``;
}
