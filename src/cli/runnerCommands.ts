/**
 * Runners of pipelines read what a program writes, and take some of it for commands: GitHub Actions
 * lines that begin with `::` (also after blanks) and `##[`, Azure Pipelines `##vso[`, TeamCity `##teamcity[`. Names and texts of
 * servers and files must not give any.
 */
// oxlint-disable-next-line no-control-regex -- our own colours may stand before the text
const lineBegin = /^((?:[^\S\n]|\u001b\[\d+m)*):(?=:)/gm;
const bracketed = /#(?=#(?:\[|\w+\[))/g;

/** The text with `escape(sign)` in place of the sign that begins a command. */
export function withoutCommands(text: string, escape: (sign: string) => string): string {
  return text
    .replace(lineBegin, (_, blanks: string) => blanks + escape(':'))
    .replace(bracketed, escape);
}

/** In plain text, as hidden characters are shown. */
export function shownEscape(sign: string): string {
  return `\\u{${hexOf(sign).toUpperCase()}}`;
}

/** Within a string of JSON, or of YAML in double quotes: the value stays the same. */
export function jsonEscape(sign: string): string {
  return `\\u${hexOf(sign)}`;
}

/** In XML: the value stays the same. */
export function xmlEscape(sign: string): string {
  return `&#${sign.charCodeAt(0)};`;
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}
