import * as l10n from '@vscode/l10n';
import { WorkTurns } from '../../core/bounds/workTurns';
import {
  isViewable,
  isWarning,
  type FilePart,
  type LinkPart,
} from '../../core/content/contentParts';
import {
  documentLanguage,
  languageOfDocument,
  mediaTypeOfDocument,
} from '../../core/content/documentNames';
import { beginningOf } from '../../core/content/textKind';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import { isSpooled } from '../../host/results/resultSpool';
import {
  maxPageBytes,
  type PageBlock,
  type PageBody,
  type PageButton,
  type PartVerb,
  type AnswerVerb,
  type PageHead,
  type PageTexts,
} from '../../page/pageMessages';
import {
  annotationSentences,
  formatFile,
  formatRole,
  formatSize,
  isForModelOnly,
  noteSentence,
} from '../format/formatFile';
import { formatDuration, formatTime } from '../format/formatTime';
import { hasRows, isRenderedMarkdown, jsonParts, mainPart } from '../results/partsOfCall';
import type { StoredResult } from '../results/resultDocuments';
import {
  outsideTitle,
  emptySentence,
  factLines,
  argumentLines,
  problemLines,
} from '../results/resultOverview';
import { markdownNodes, PartNodes, textNodes } from './markdownNodes';

/** Users do not look through more blocks or images, and more bytes would slow the window down. */
const maxBlocks = 10_000;
const maxPictures = 1_000;
/** Maximum number of blocks in one message. */
const maxMessageBlocks = 50;
/** VS Code copies a message in one turn. With a block that exceeds this, a message ends. */
const maxMessageChars = 500_000;
/** Limit for one text. The rest is in its document. */
const maxTextChars = 100_000;
const maxNameChars = 200;
const maxUriChars = 1_000;

const markdownLanguage = documentLanguage('markdown');
const plainLanguage = documentLanguage('text');

/** A block, and the data that the page refers to by number. */
export interface DrawnPart {
  readonly block: PageBlock;
  readonly links: readonly string[];
}

/**
 * Makes the blocks of one answer, in the server's order. Each block is made when the page asks for
 * it.
 */
export class AnswerContent {
  readonly #kept: StoredResult;
  readonly #turns = new WorkTurns();
  /** The part that other parts may repeat. */
  readonly #main: FilePart | undefined;
  /** Place of the first text, which is the message of an error. */
  readonly #firstText: number;
  readonly #json: ReadonlySet<FilePart>;
  #pictures = 0;

  constructor(kept: StoredResult) {
    this.#kept = kept;
    this.#main = mainPart(kept.parts);
    this.#json = new Set(jsonParts(kept.parts));
    this.#firstText = kept.parts.findIndex(
      (part) => part.kind !== 'link' && part.excerpt !== undefined,
    );
  }

  get count(): number {
    return Math.min(this.#kept.parts.length, maxBlocks);
  }

  /**
   * Draws the blocks of one message from a place on, at least one unless there are no more. `chars`
   * is their approximate size. `room` is the number of bytes of text that the page may still be
   * sent.
   */
  async drawMessage(from: number, room: number) {
    const drawn: DrawnPart[] = [];
    let chars = 0;
    for (let place = from; place < from + maxMessageBlocks; place += 1) {
      const next = await this.draw(place, Math.max(0, room - chars));
      if (next === undefined) break;
      drawn.push(next);
      const { body } = next.block;
      if (body.kind === 'nodes') chars += JSON.stringify(body.nodes).length;
      if (chars >= maxMessageChars) break;
    }
    return { drawn, chars };
  }

  /** @param room number of bytes of text that the page may still be sent */
  async draw(place: number, room: number): Promise<DrawnPart | undefined> {
    const part = this.#kept.parts[place];
    if (part === undefined || place >= this.count) return undefined;
    await this.#turns.giveWay();
    return part.kind === 'link' ? linkBlock(part) : this.#fileBlock(part, place, room);
  }

  async #fileBlock(part: FilePart, place: number, room: number): Promise<DrawnPart> {
    const { body, links, rest } = await this.#bodyOf(part, room);
    const { facts } = this.#kept;
    const from = part.uri === undefined ? [] : [visibleText(part.uri, maxUriChars)];
    const block: PageBlock = {
      number: part.number,
      title: visibleText(part.name, maxNameChars),
      facts: [formatFile(part), ...from].join(' · '),
      notes: [...notesOf(part), ...rest],
      buttons: this.#buttonsOf(part),
      body,
      isError: facts.isError && place === this.#firstText,
      isFolded: this.#isFolded(part),
    };
    return { block, links };
  }

  #buttonsOf(part: FilePart): readonly PageButton<PartVerb>[] {
    const save = { verb: 'save', label: l10n.t('Save As…') } as const;
    if (!isViewable(part)) return [save];
    const filter = this.#json.has(part)
      ? [{ verb: 'filter', label: l10n.t('Filter…') } as const]
      : [];
    return [{ verb: 'open', label: l10n.t('Open') }, ...filter, save];
  }

  /** Folds parts that repeat the main part or are rarely read. */
  #isFolded(part: FilePart): boolean {
    const main = this.#main;
    const repeats = part.kind === 'structured' && main !== undefined && main !== part;
    return repeats || part.kind === 'meta' || part.notes.some(({ code }) => code === 'asSent');
  }

  async #bodyOf(part: FilePart, room: number): Promise<DrawnBody> {
    const { viewer, excerpt, size } = part;
    if (isForModelOnly(part.annotations)) return withoutBody([]);
    if (size <= room && (await hasRows(part))) {
      return { body: { kind: 'grid', size }, links: [], rest: [] };
    }
    if (excerpt !== undefined) return this.#textBody(part, room);
    if (viewer === undefined) return withoutBody(isViewable(part) || size === 0 ? [] : [unshown()]);
    this.#pictures += 1;
    if (this.#pictures > maxPictures || size > maxPageBytes) {
      return withoutBody([l10n.t('Too large to show on this page. Open it instead.')]);
    }
    const mediaType = mediaTypeOfDocument(part.documentName) ?? '';
    return { body: { kind: viewer, mediaType, size }, links: [], rest: [] };
  }

  async #textBody(part: FilePart, room: number): Promise<DrawnBody> {
    const source = isSpooled(part) ? (part.beginning ?? part) : part;
    const maxChars = Math.min(maxTextChars, room);
    const text = beginningOf(await source.read(), maxChars);
    const language = languageOfDocument(part.documentName);
    const into = new PartNodes();
    const isMarkdown = isRenderedMarkdown(part) && part.size <= room;
    const draw = isMarkdown ? markdownNodes : textNodes;
    const nodes = await draw(text, into, () => this.#turns.giveWay());
    const isCut = into.isFull || Buffer.byteLength(text) < part.size;
    const isCode = !isMarkdown && language !== plainLanguage && language !== markdownLanguage;
    const body: PageBody = isMarkdown
      ? { kind: 'nodes', nodes, isCode }
      : { kind: 'nodes', nodes: [{ tag: 'pre', children: nodes }], isCode };
    const rest = isCut ? [l10n.t('This is the beginning. Open it to see all of it.')] : [];
    return { body, links: into.links, rest };
  }
}

interface DrawnBody {
  readonly body: PageBody;
  readonly links: readonly string[];
  /** Sentences that say why not all of it is shown. */
  readonly rest: readonly string[];
}

function withoutBody(rest: readonly string[]): DrawnBody {
  return { body: { kind: 'lines', lines: [] }, links: [], rest };
}

/** Returns the notes and annotations of a part as sentences. */
function notesOf({ notes, annotations }: FilePart | LinkPart): readonly string[] {
  return [
    ...notes.map((note) => `${isWarning(note) ? '⚠ ' : ''}${noteSentence(note)}`),
    ...annotationSentences(annotations),
  ];
}

function unshown(): string {
  return l10n.t('VS Code cannot show this file type.');
}

/** A resource that the server only names. It is not read before the user asks for it. */
function linkBlock(part: LinkPart): DrawnPart {
  const { title = part.linkName, linkName, description } = part;
  const name = title === linkName ? title : l10n.t('{0} ({1})', title, linkName);
  const outside = outsideTitle(part.uri);
  const open = outside === undefined ? [] : [{ verb: 'openOutside' as const, label: outside }];
  const facts = [
    ...formatRole(part.role),
    l10n.t('resource link'),
    ...(part.mimeType === undefined ? [] : [visibleText(part.mimeType, maxNameChars)]),
    ...(part.size === undefined ? [] : [formatSize(part.size)]),
  ];
  const lines = [part.uri, ...(description?.trim() ? [description] : [])];
  const block: PageBlock = {
    number: part.number,
    title: visibleText(name, maxNameChars),
    facts: facts.join(', '),
    notes: notesOf(part),
    buttons: [{ verb: 'read', label: l10n.t('Open') }, ...open],
    body: { kind: 'lines', lines: lines.map((line) => visibleText(line, maxUriChars)) },
    isError: false,
    isFolded: false,
  };
  return { block, links: [] };
}

const maxHeadNameChars = 200;
const maxArgumentChars = 200;

/** The header of an answer's page, which surrounds its parts. `isForChat`: it offers the chat. */
export function pageHead(kept: StoredResult, blockCount: number, isForChat = false): PageHead {
  const { facts } = kept;
  const { origin } = facts;
  const title = origin.kind === 'call' ? origin.toolTitle : origin.uri;
  const said = facts.arguments?.value;
  const given = said === undefined ? '' : stringifyExactly(said);
  const shown = [
    visibleText(title, maxHeadNameChars),
    visibleText(facts.serverLabel, maxHeadNameChars),
    formatTime(facts.createdAt),
    formatDuration(facts.durationMs),
    ...(given === '' || given === '{}' ? [] : [visibleText(given, maxArgumentChars)]),
  ];
  const problems = problemLines(facts).filter((line) => line !== '');
  return {
    title: visibleText(title, maxHeadNameChars),
    summary: shown.join(' · '),
    details: [...factLines(facts), ...argumentLines(facts)],
    // The error itself is reported beside the server's own words.
    problems: [
      ...joinIndented(problems.slice(facts.isError ? 1 : 0)),
      ...(blockCount === 0 ? [emptySentence(facts)] : []),
      ...(blockCount < kept.parts.length
        ? [l10n.t('More parts in the same folder: {0}.', kept.parts.length - blockCount)]
        : []),
    ],
    buttons: buttonsOf(kept, isForChat),
    blockCount,
    texts: pageTexts(),
  };
}

/** Adds each indented line to the line above it, because the page draws a box for each problem. */
function joinIndented(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const line of lines) {
    joined.push(line.startsWith(' ') ? `${joined.pop() ?? ''}\n${line}` : line);
  }
  return joined;
}

/** Call buttons appear only if there is a call. A resource that was read has none. */
function buttonsOf(
  { callId, parts }: StoredResult,
  isForChat: boolean,
): readonly PageButton<AnswerVerb>[] {
  const isOfCall = callId !== undefined;
  const hasFiles = parts.some(({ kind }) => kind !== 'link');
  return [
    ...button('runAgain', l10n.t('Run Again'), isOfCall),
    ...button('edit', l10n.t('Edit Arguments…'), isOfCall),
    ...button('save', l10n.t('Save…'), hasFiles),
    ...button('compare', l10n.t('Compare…'), isOfCall || hasFiles),
    ...button('expect', l10n.t('Expect This Result'), isOfCall),
    ...button('chat', l10n.t('Open in Chat'), isOfCall && isForChat),
    ...button('text', l10n.t('Show as Text'), true),
  ];
}

function button(verb: AnswerVerb, label: string, isThere: boolean): PageButton<AnswerVerb>[] {
  return isThere ? [{ verb, label }] : [];
}

/** Labels of the page's own controls. */
export function pageTexts(): PageTexts {
  return {
    error: l10n.t('The tool reported an error.'),
    loading: l10n.t('Loading…'),
    openPicture: l10n.t('Open this image in the editor'),
    notPlayable: l10n.t('This cannot be played here. Open or save it instead.'),
    notDrawable: l10n.t('This image cannot be shown here. Open or save it instead.'),
    notShown: l10n.t('This part cannot be shown here.'),
    filter: l10n.t('Filter rows'),
    rows: l10n.t('{0} of {1} rows'),
    copyCsv: l10n.t('Copy as CSV'),
    copyMarkdown: l10n.t('Copy as Markdown'),
    copied: l10n.t('Copied'),
    sortBy: l10n.t('Sort by {0}'),
    moreColumns: l10n.t('Columns: {0}, shown: the first {1}'),
    moreRows: l10n.t('Rows: {0}. Only the first {1} are shown, filtered and copied.'),
  };
}
