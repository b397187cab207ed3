import { withoutTerminalEscapes } from '../bounds/terminalEscapes';
import { isObject } from '../json/shapes';
import { parseText } from '../parse/parsers';

/** Longer lines would only be shortened for display. */
const maxLineChars = 1_000;

/**
 * Returns the line that best explains why a program exited, from `tail` (at most a few kilobytes,
 * untrusted), as one line without escape codes; `''` if there is none. Last lines are often the
 * worst: `}`, `Node.js v24.1.0`, `at async …`, “A complete log can be found in …”.
 */
export function relevantStderrLine(tail: string): string {
  const lines = withoutTerminalEscapes(tail)
    .split(/\r?\n/)
    .map((line) => line.slice(0, maxLineChars).trimEnd())
    .filter((line) => line.trim() !== '');
  const line =
    fromNpm(lines) ??
    fromUv(lines) ??
    fromJsonLog(lines) ??
    fromPanic(lines) ??
    fromException(lines) ??
    fromValidator(lines) ??
    lines.findLast((each) => !isNoise(each) && saysError.test(each)) ??
    lines.findLast((each) => !isNoise(each) && saysWhy.test(each)) ??
    lines.find((each) => /^usage:/i.test(each)) ??
    lines.findLast((each) => !isNoise(each)) ??
    lines.at(-1) ??
    '';
  return line.trim().replaceAll(/\s+/g, ' ');
}

const npmLine = /^npm (?:error|ERR!) ?/;
/** Lines of npm that give the location and not the cause. */
const npmNoise =
  /^(?:code|syscall|errno|path|workspace|location|signal|dest) |^(?:command|at) |^\}|^A complete log|^This is related to/;

/** npm prints the code first, then the cause, then advice and the path of its log. */
function fromNpm(lines: readonly string[]): string | undefined {
  const own = lines.filter((line) => npmLine.test(line)).map((line) => line.replace(npmLine, ''));
  // A script of a package failed: its own output is above.
  if (own.some((line) => line.startsWith('Lifecycle script'))) return undefined;
  const line = own.find((each) => each.trim() !== '' && !npmNoise.test(each.trimStart()));
  // Every line repeats its code: `404 404 Not Found`, `notarget No matching …`.
  const said = line?.replace(/^(\d{3}) (?=\1 )|^(?:notarget|enoent|network|eresolve) /, '');
  return said?.replaceAll('%2f', '/');
}

/** uv prints its reason as a tree over several lines. */
function fromUv(lines: readonly string[]): string | undefined {
  const start = lines.findIndex((line) => /^\s*(?:╰─▶|`->) /.test(line));
  if (start === -1) return undefined;
  const rest = lines.slice(start + 1).findIndex((line) => !/^ {4,}\S/.test(line));
  const end = rest === -1 ? lines.length : start + 1 + rest;
  return lines
    .slice(start, end)
    .join(' ')
    .replace(/^\s*\S+ /, '');
}

/** Returns the last entry of level error or above, else the last one of any level. */
function fromJsonLog(lines: readonly string[]): string | undefined {
  const entries = lines.flatMap((line) => {
    const entry = entryOf(line);
    const message = entry && messageOf(entry);
    return message === undefined ? [] : [{ message, isError: isBad(entry ?? {}) }];
  });
  const entry = entries.findLast(({ isError }) => isError);
  if (entry !== undefined) return entry.message;
  return entries.length === lines.length ? entries.at(-1)?.message : undefined;
}

function entryOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*\{.*\}$/.test(line)) return undefined;
  return parseText(line, (entry) => (isObject(entry) ? entry : undefined));
}

function messageOf(entry: Readonly<Record<string, unknown>>): string | undefined {
  const { msg, message, error, err, event } = entry;
  const nested = [error, err].map((each) => (isObject(each) ? each['message'] : each));
  return [message, msg, ...nested, event].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
}

function isBad({ level, severity, levelname }: Readonly<Record<string, unknown>>): boolean {
  const said = level ?? severity ?? levelname;
  // Levels of Pino are numbers: 50 is an error, 60 fatal.
  return typeof said === 'number' ? said >= 50 : /error|fatal|critical|panic/i.test(String(said));
}

/** Rust prints the message on the next line, Go on the same. */
function fromPanic(lines: readonly string[]): string | undefined {
  const rust = lines.findIndex((line) => /^thread '.*' .*panicked at /.test(line));
  if (rust !== -1) return lines[rust + 1];
  return lines.find((line) => line.startsWith('panic: '));
}

/**
 * Matches `KeyError: 'X'`, `Error [ERR_X]: …`, `com.example.SomeException: …`, after any short
 * text.
 */
const exceptionLine =
  /^(?:.{0,60}[\s:"])?(?:[\w$]+\.)*\w*(?:Error|Exception|Rejection|Interrupt|Failure)(?: \[\w+\])?: \S/;
/** Programs that catch their last error print it after their own message. */
const causeLine = /^\s*(?:\[cause\]|Caused by): /;

function fromException(lines: readonly string[]): string | undefined {
  // Python prefixes the members of an exception group with bars.
  const bare = lines.map((line) => line.replace(/^[\s|+]+(?=[|+] ?)[|+] */, ''));
  const at = bare.findLastIndex(
    (line) => /^\S/.test(line) && exceptionLine.test(line) && !causeLine.test(line),
  );
  const cause = bare.findLast((line) => causeLine.test(line))?.replace(causeLine, '');
  const told = cause?.replace(/ \{$/, '').trim();
  const head = bare[at];
  if (head === undefined) return told;
  const below = bare.slice(at + 1);
  const whole =
    withIssue(head, below) ??
    // Pydantic prints the field and its error on the next lines.
    (/validation errors? for /.test(head)
      ? [head, ...below.slice(0, 2)].join(' ')
      : head.replace(/ \{$/, ''));
  return told === undefined || whole.includes(told) ? whole : `${whole} (${told})`;
}

/** Some programs print validation errors as JSON over many lines, after their own message. */
function fromValidator(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => /^\S.*: [[{]$/.test(line));
  return at === -1 ? undefined : withIssue(lines[at] ?? '', lines.slice(at + 1));
}

/** Returns the first issue of a validator, whose list begins in `head`. */
function withIssue(head: string, below: readonly string[]): string | undefined {
  if (!/[[{]$/.test(head)) return undefined;
  const message = below.map((line) => /^\s*"message": "(.*)",?$/.exec(line)?.[1]).find(Boolean);
  const name = /"path": \[\s*"([^"]*)"/.exec(below.join(' '))?.[1];
  if (message === undefined) return undefined;
  return `${head.slice(0, -1)}${name === undefined ? '' : `${name}: `}${message}`;
}

const saysError = /\b(?:error|fatal|critical)\b/i;
const saysWhy =
  /missing|required|not found|cannot|can't|could not|unable|failed|invalid|denied|refused|no such|must |unknown|unauthorized|expired|not set/i;

/** True for lines at the end of outputs that carry no information. */
function isNoise(line: string): boolean {
  return noise.some((pattern) => pattern.test(line));
}

const noise: readonly RegExp[] = [
  /^[\s\]})>^~|+,;-]*$/,
  /^Node\.js v\d/,
  /^\s*at /,
  /^\s*File ".*", line \d/,
  /^\s*\.\.\. \d+ more$/,
  /^\s*(?:code|errno|syscall|address|port|path|requireStack|status|type): .*/,
  /^\(?(?:Use|Run|Try) .*(?:--help|--trace)/,
  /^\s*For further information visit/,
  /^(?:note|help): /,
  /^exit status \d+$/,
  /^goroutine \d+ /,
  /^\s+\d+: /,
  /^npm (?:warn|notice|WARN) ?/,
  /^BEGIN failed--/,
  /Warning: /,
];
