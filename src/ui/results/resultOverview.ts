import * as l10n from '@vscode/l10n';
import { argumentsExcerpt } from '../../core/arguments/argumentsText';
import {
  isViewable,
  isWarning,
  type FilePart,
  type LinkPart,
  type Part,
} from '../../core/content/contentParts';
import { classifyLink } from '../../core/content/linkTarget';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { SchemaViolation } from '../../core/types';
import { visibleText } from '../../core/visibleText';
import {
  annotationSentences,
  formatFile,
  formatRole,
  isForModelOnly,
  noteSentence,
  formatSize,
} from '../format/formatFile';
import type { SkillNote } from '../format/formatSkill';
import { formatDuration, formatTime } from '../format/formatTime';

/** Facts about a result besides its parts. */
export interface ResultFacts {
  /** A call, or the reading of one resource. Names and URI are untrusted. */
  readonly origin:
    | {
        readonly kind: 'call';
        readonly toolTitle: string;
        readonly toolName: string;
        /** Set if the call read a prompt. */
        readonly isPrompt?: true;
      }
    | { readonly kind: 'resource'; readonly uri: string };
  readonly serverLabel: string;
  readonly createdAt: number;
  readonly durationMs: number;
  readonly isError: boolean;
  /** See `ToolResult`. */
  readonly isOldForm?: true;
  readonly hasBareStructure?: true;
  /** True if the tool or resource may have reached beyond its server. */
  readonly isExternal: boolean;
  /** True if an earlier answer of the server in this window says what external content is. */
  readonly isExternalKnown?: true;
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
  readonly schemaError?: string;
  /** Set for a file of a skill. */
  readonly skill?: SkillNote;
  /** Arguments of the call. Absent if they are unknown. */
  readonly arguments?: ResultArguments;
}

/** Arguments that are safe to show. Secrets are replaced by a marker. */
export interface ResultArguments {
  /** Absent if there were none, or if they are not kept. */
  readonly value?: JsonObject;
  readonly isOmitted?: true;
}

/** The place where the overview names a part. */
export interface OverviewPlace {
  readonly part: Part;
  readonly line: number;
  /** First character column of the name, or of the URI. */
  readonly start: number;
  readonly end: number;
  /** True for the heading of a part, which has its actions. Each part has one heading. */
  readonly isHeading: boolean;
}

export interface Overview {
  readonly text: string;
  readonly places: readonly OverviewPlace[];
  /** Line of the arguments. Absent if they are unknown. */
  readonly argumentsLine?: number;
}

const maxNameChars = 200;
const maxUriChars = 1_000;
const maxViolations = 20;
const maxParts = 1_000;
const maxInlineChars = 4_000;
const maxInlineLines = 60;
const maxArgumentLines = 40;
const maxArgumentsOnLine = 100;
const inlineIndent = '    ';

/**
 * Renders a result as one page of plain text: problems at the top, then the facts of the call, then
 * every part in the server's order with short texts inline. Its length is bounded, whatever the
 * server sent.
 */
export function renderOverview(facts: ResultFacts, parts: readonly Part[]): Overview {
  const lines: string[] = [...problemLines(facts), ...factLines(facts)];
  const argumentsLine = lines.length;
  lines.push(...argumentLines(facts), '');
  const places: OverviewPlace[] = [];
  if (parts.length === 0) lines.push(emptySentence(facts), '');
  for (const part of parts.slice(0, maxParts)) {
    const first = lines.length;
    const { heading, rest, at } = part.kind === 'link' ? linkLines(part) : fileLines(part);
    lines.push(heading, ...rest, '');
    for (const { line, start, end } of at) {
      places.push({ part, line: first + line, start, end, isHeading: line === 0 });
    }
  }
  if (parts.length > maxParts) {
    lines.push(l10n.t('More parts in the same folder: {0}.', parts.length - maxParts), '');
  }
  const text = lines.join('\n');
  return { text, places, ...(facts.arguments === undefined ? {} : { argumentsLine }) };
}

/**
 * Title of the action that opens a link outside of its server. `undefined` for most links, which
 * have none.
 */
export function outsideTitle(uri: string): string | undefined {
  const { kind } = classifyLink(uri);
  if (kind === 'web') return l10n.t('Open in Browser…');
  return kind === 'file' ? l10n.t('Open Local File…') : undefined;
}

/** Says that structured content was not validated, and why. */
export function uncheckedSentence(schemaError: string): string {
  return l10n.t(
    'The structured content was not validated against the output schema of the tool: “{0}”',
    visibleText(schemaError, maxUriChars),
  );
}

/** Warnings that the user must read first. The signs also work without color. */
export function problemLines(facts: ResultFacts): string[] {
  const { violations, schemaError } = facts;
  const lines = formLines(facts);
  if (facts.skill?.isProblem === true) lines.push(`⚠ ${facts.skill.sentence}`);
  if (facts.isError) lines.unshift(`✗ ${l10n.t('The tool reported an error.')}`);
  if (schemaError !== undefined) {
    lines.push(`⚠ ${uncheckedSentence(schemaError)}`);
  }
  if (facts.missingStructuredContent) {
    const sentence = l10n.t('The tool has an output schema, but returned no structured content.');
    lines.push(`⚠ ${sentence}`);
  }
  if (violations.length > 0) {
    const sentence = l10n.t('The structured content does not match the output schema of the tool:');
    const more = violations.length - maxViolations;
    lines.push(
      `⚠ ${sentence}`,
      ...violations.slice(0, maxViolations).map((violation) => `  ${violationLine(violation)}`),
      ...(more > 0 ? [`  ${l10n.t('… and {0} more.', more)}`] : []),
    );
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Says how the form of the answer violates the protocol. */
function formLines({ isOldForm, hasBareStructure }: ResultFacts): string[] {
  const sentences: string[] = [];
  if (isOldForm === true) {
    sentences.push(
      l10n.t('The server used “toolResult”, a format older than MCP. Tell the server’s author.'),
    );
  }
  if (hasBareStructure === true) {
    sentences.push(
      l10n.t(
        'Before MCP 2026-07-28, structured content must be an object. Tell the server’s author.',
      ),
    );
  }
  return sentences.map((sentence) => `⚠ ${sentence}`);
}

/** Location and message of one violation, in one line. */
export function violationLine({ pointer, message }: SchemaViolation): string {
  const said = visibleText(message, maxUriChars);
  return pointer === '' ? said : `${visibleText(pointer, maxUriChars)}: ${said}`;
}

export function factLines(facts: ResultFacts): string[] {
  const { origin } = facts;
  const server = l10n.t('Server: {0}', visibleText(facts.serverLabel, maxNameChars));
  const at = l10n.t('{0}, took {1}', formatTime(facts.createdAt), formatDuration(facts.durationMs));
  if (origin.kind === 'resource') {
    return [
      l10n.t('Resource: {0}', visibleText(origin.uri, maxUriChars)),
      server,
      l10n.t('Read: {0}', at),
    ];
  }
  const name = visibleText(origin.toolName, maxNameChars);
  const title = visibleText(origin.toolTitle, maxNameChars);
  const tool = title === name ? name : l10n.t('{0} ({1})', title, name);
  if (origin.isPrompt === true) {
    return [l10n.t('Prompt: {0}', tool), server, l10n.t('Read: {0}', at)];
  }
  return [
    l10n.t('Tool: {0}', tool),
    server,
    l10n.t('Called: {0}', at),
    l10n.t('Outcome: {0}', facts.isError ? l10n.t('error') : l10n.t('result')),
    ...(facts.isExternal && facts.isExternalKnown !== true ? [externalSentence()] : []),
  ];
}

export function argumentLines({ arguments: made }: ResultFacts): string[] {
  if (made === undefined) return [];
  if (made.isOmitted === true) return [l10n.t('The arguments were not kept.')];
  const json = made.value === undefined ? '{}' : stringifyExactly(made.value);
  if (json === '{}') return [l10n.t('No arguments.')];
  if (json.length <= maxArgumentsOnLine)
    return [l10n.t('Arguments: {0}', visibleText(json, maxUriChars))];
  const { text, restChars } = argumentsExcerpt(json, { lines: maxArgumentLines, linesOf: () => 1 });
  const more = restChars === 0 ? [] : [l10n.t('… {0} more characters', restChars)];
  return [
    l10n.t('Arguments:'),
    ...[...text.split('\n'), ...more].map((line) => inlineIndent + line),
  ];
}

/** The mark in the tab says the same. */
export function externalSentence(): string {
  return l10n.t('External content: do not trust it. The tool can reach outside systems.');
}

export function emptySentence({ origin }: ResultFacts): string {
  if (origin.kind === 'call' && origin.isPrompt === true) {
    return l10n.t('The prompt has no messages.');
  }
  return origin.kind === 'call'
    ? l10n.t('The tool returned nothing.')
    : l10n.t('The resource exists, but has no contents.');
}

/** The lines of one part, and the places where they name it. */
interface PartLines {
  readonly heading: string;
  readonly rest: readonly string[];
  readonly at: readonly { readonly line: number; readonly start: number; readonly end: number }[];
}

function fileLines(part: FilePart): PartLines {
  const prefix = `${part.number}. `;
  const heading = `${prefix}${part.name} (${formatFile(part)})`;
  const at = [{ line: 0, start: prefix.length, end: prefix.length + part.name.length }];
  const rest: string[] = [];
  if (part.uri !== undefined) {
    const uri = visibleText(part.uri, maxUriChars);
    const line = l10n.t('From {0}', uri);
    const start = line.indexOf(uri) + inlineIndent.length;
    rest.push(inlineIndent + line);
    // Without this place, the editor would turn a file: URI into a link to a file of this computer
    //
    if (uri !== '') at.push({ line: rest.length, start, end: start + uri.length });
  }
  rest.push(...sentenceLines(part), ...inlineLines(part));
  if (!isViewable(part) && part.size > 0) {
    const sentence = l10n.t('VS Code cannot show this file type.');
    rest.push(inlineIndent + sentence);
  }
  return { heading, rest, at };
}

function linkLines(part: LinkPart): PartLines {
  const prefix = `${part.number}. `;
  const uri = visibleText(part.uri, maxUriChars);
  const facts = [
    ...formatRole(part.role),
    l10n.t('resource link'),
    ...(part.mimeType === undefined ? [] : [visibleText(part.mimeType, maxNameChars)]),
    ...(part.size === undefined ? [] : [formatSize(part.size)]),
  ];
  const { title = part.linkName, linkName } = part;
  const name = title === linkName ? title : l10n.t('{0} ({1})', title, linkName);
  const texts = [name, part.description].filter((text) => text?.trim());
  return {
    heading: `${prefix}${uri} (${facts.join(', ')})`,
    rest: [
      ...texts.map((text) => inlineIndent + visibleText(text ?? '', maxUriChars)),
      ...sentenceLines(part),
      inlineIndent + l10n.t('Opens on demand from the server'),
    ],
    at: [{ line: 0, start: prefix.length, end: prefix.length + uri.length }],
  };
}

function sentenceLines({ annotations, notes }: Part): string[] {
  const sentences = [
    ...notes.map((note) => `${isWarning(note) ? '⚠ ' : ''}${noteSentence(note)}`),
    ...annotationSentences(annotations),
  ];
  return sentences.map((sentence) => inlineIndent + sentence);
}

/**
 * The beginning of a text, after a bar that separates it from the extension's text. Server text
 * cannot omit the bar.
 */
function inlineLines(part: FilePart): string[] {
  const { excerpt, size } = part;
  if (excerpt === undefined || excerpt === '' || isForModelOnly(part.annotations)) return [];
  const shown = visibleText(excerpt, maxInlineChars, { newlines: 'keep' });
  const all = shown.replace(/\n$/, '').split('\n');
  const lines = all.slice(0, maxInlineLines).map((line) => `${inlineIndent}│ ${line}`);
  const isCut = all.length > maxInlineLines || Buffer.byteLength(excerpt) < size;
  return isCut ? [...lines, inlineIndent + l10n.t('The rest is in {0}.', part.name)] : lines;
}
