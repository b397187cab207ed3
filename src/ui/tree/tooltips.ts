import { MarkdownString } from 'vscode';
import { plainMarkdown } from './plainMarkdown';

const maxDescriptionChars = 2_000;
const maxLineChars = 300;

/** Paragraphs of Markdown; everything that is not a constant here went through plainMarkdown. */
export function tooltipOf(paragraphs: readonly string[]): MarkdownString {
  const tooltip = new MarkdownString(paragraphs.join('\n\n'), false);
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  return tooltip;
}

export const foreignText = (foreign: string): string =>
  plainMarkdown(foreign, maxDescriptionChars, { newlines: 'keep' });
export const foreignLine = (foreign: string): string => plainMarkdown(foreign, maxLineChars);
export const boldLine = (foreign: string): string => `**${foreignLine(foreign)}**`;
export const lineList = (lines: readonly string[]): string =>
  lines.map((each) => `- ${foreignLine(each)}`).join('\n');
