// Messages between the page of an answer or a definition and the extension. They carry data, never HTML. The page
// has no URLs: it refers to parts, links and rows by number.

/** Limit for everything that is sent to one page. */
export const maxPageBytes = 67_108_864;

/** The elements that server text can become. The page draws no others. */
export const pageTags: readonly string[] =
  'p h3 h4 h5 h6 blockquote ul ol li pre code hr br em strong s table thead tbody tr th td link'.split(
    ' ',
  );

export interface PageElement {
  readonly tag: string;
  readonly children: readonly PageNode[];
  /** For a link: its index among the links of the part. Absent if it cannot be followed. */
  readonly link?: number;
  /** For a link: its target, as text to read. */
  readonly title?: string;
  /** For an ordered list: its first number. */
  readonly start?: number;
  /** For a table cell: the heading of its column, which a narrow page shows before it. */
  readonly label?: string;
  /** Alignment of a table cell. */
  readonly align?: 'left' | 'center' | 'right';
}

export type PageNode = string | PageElement;

/** Content of one part. */
export type PageBody =
  | { readonly kind: 'nodes'; readonly nodes: readonly PageNode[]; readonly isCode: boolean }
  | {
      readonly kind: 'image' | 'audio' | 'video';
      readonly mediaType: string;
      readonly size: number;
    }
  /** JSON that is a list of rows. The page reads it as bytes, like images. */
  | { readonly kind: 'grid'; readonly size: number }
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

/** Actions on one part. */
export const partVerbs = ['open', 'filter', 'save', 'read', 'openOutside'] as const;
export type PartVerb = (typeof partVerbs)[number];

/** Actions on the whole answer. */
export const answerVerbs = [
  'runAgain',
  'edit',
  'save',
  'compare',
  'expect',
  'chat',
  'text',
] as const;
export type AnswerVerb = (typeof answerVerbs)[number];

/** Actions on a tool whose definition is shown. */
export const definitionVerbs = [
  'call',
  'showChanges',
  'acceptChanges',
  'enable',
  'setRisk',
  'setForAgents',
  'runAsTask',
  'runDirectly',
  'openApp',
  'disable',
  'copyName',
  'text',
] as const;
export type DefinitionVerb = (typeof definitionVerbs)[number];
/** Actions on the whole page. */
export type HeadVerb = AnswerVerb | DefinitionVerb;

export interface PageButton<Verb> {
  readonly verb: Verb;
  readonly label: string;
}

export interface PageBlock {
  /** Number of the part. */
  readonly number: number;
  readonly title: string;
  readonly facts: string;
  /** Notes of the extension about the part. A warning begins with its sign. */
  readonly notes: readonly string[];
  readonly buttons: readonly PageButton<PartVerb>[];
  readonly body: PageBody;
  /** True if the part is the server's error message. */
  readonly isError: boolean;
  /** True if the part is closed until the user opens it. */
  readonly isFolded: boolean;
}

export interface PageHead {
  readonly title: string;
  /** True if the titles of the page and its parts are headings of a document, as of a definition. */
  readonly isDocument?: true;
  /** Tool, server, time and arguments in one line. */
  readonly summary: string;
  /** The same facts in full, shown when the line is expanded. */
  readonly details: readonly string[];
  readonly problems: readonly string[];
  readonly buttons: readonly PageButton<HeadVerb>[];
  readonly blockCount: number;
  readonly texts: PageTexts;
}

/** Labels of the page's own controls, in the display language of VS Code. */
export interface PageTexts {
  readonly error: string;
  readonly loading: string;
  readonly openPicture: string;
  readonly notPlayable: string;
  readonly notDrawable: string;
  readonly notShown: string;
  readonly filter: string;
  readonly rows: string;
  readonly copyCsv: string;
  readonly copyMarkdown: string;
  readonly copied: string;
  readonly sortBy: string;
  readonly moreColumns: string;
  readonly moreRows: string;
}

/** Messages from the extension. `edition` grows whenever the answer is replaced. */
export type ToPage =
  | { readonly type: 'answer'; readonly edition: number; readonly head: PageHead }
  | {
      readonly type: 'blocks';
      readonly edition: number;
      readonly from: number;
      readonly blocks: readonly PageBlock[];
    }
  /** A piece of an image, audio or video. It has no bytes if they are not available. */
  | {
      readonly type: 'bytes';
      readonly edition: number;
      readonly number: number;
      readonly offset: number;
      readonly bytes?: Uint8Array;
    }
  /** The answer is no longer kept. */
  | { readonly type: 'gone'; readonly sentence: string };

/** Messages from the page. */
export type FromPage =
  | { readonly type: 'ready' }
  /** Requests the blocks from this index on. */
  | { readonly type: 'blocks'; readonly edition: number; readonly from: number }
  | {
      readonly type: 'bytes';
      readonly edition: number;
      readonly number: number;
      readonly offset: number;
    }
  | { readonly type: 'headVerb'; readonly verb: HeadVerb }
  | {
      readonly type: 'partVerb';
      readonly edition: number;
      readonly number: number;
      readonly verb: PartVerb;
    }
  | {
      readonly type: 'link';
      readonly edition: number;
      readonly number: number;
      readonly link: number;
    };
