import { visibleText } from '../core/visibleText';

/**
 * Runners of pipelines interpret some lines of a program's output as commands: GitHub Actions lines
 * that begin with `::` (also after blanks) and `##[`, Azure Pipelines `##vso[`, TeamCity
 * `##teamcity[`, Buildkite lines that begin with `---`, `+++`, `~~~` or `^^^` and a blank. Names
 * and texts of servers and files must not produce any. Commands of other runners begin with control
 * characters, which are escaped anyway.
 */
const lineBegin =
  // oxlint-disable-next-line no-control-regex -- the program's own colors may precede the text
  /^((?:[^\S\n\r\u2028\u2029]|\u001b\[\d+m)*)(?::(?=:)|-(?=-- )|\+(?=\+\+ )|~(?=~~ )|\^(?=\^\^ ))/gm;
const bracketed = /#(?=#(?:\[|\w+\[))/g;

/** Replaces the sign that begins a command by `escape(sign)`. */
export function withoutCommands(text: string, escape: (sign: string) => string): string {
  return text
    .replace(lineBegin, (all, blanks: string) => blanks + escape(all.slice(blanks.length)))
    .replace(bracketed, escape);
}

/** Escapes a sign in plain text, in the form of hidden characters. */
export function shownEscape(sign: string): string {
  return `\\u{${hexOf(sign).toUpperCase()}}`;
}

/** Escapes a sign in a string of JSON or of double-quoted YAML; the value stays the same. */
export function jsonEscape(sign: string): string {
  return `\\u${hexOf(sign)}`;
}

/** Escapes a sign in XML; the value stays the same. */
export function xmlEscape(sign: string): string {
  return `&#${sign.charCodeAt(0)};`;
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}

/** Longer messages are not shown. */
const maxMessageChars = 10_000;

/**
 * Returns one of this program's own commands for GitHub Actions as a line; its texts can neither
 * end it nor start another command.
 */
export function runnerCommand(
  kind: 'error' | 'warning' | 'notice',
  message: string,
  properties: Readonly<Record<string, string>>,
): string {
  const all = Object.entries(properties).map(
    ([name, value]) => `${name}=${escaped(value, /[%\r\n:,]/g)}`,
  );
  return `::${kind} ${all.join(',')}::${escaped(message, /[%\r\n]/g)}\n`;
}

/** Hidden characters and commands of other runners are shown as in any other text. */
function escaped(text: string, signs: RegExp): string {
  const shown = visibleText(text, maxMessageChars, { newlines: 'keep' });
  return withoutCommands(shown, shownEscape).replaceAll(
    signs,
    (sign) => `%${hexOf(sign).slice(-2).toUpperCase()}`,
  );
}
