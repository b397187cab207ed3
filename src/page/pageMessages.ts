// What the page of an answer and the extension say to each other: data, never HTML. The page has no
// addresses: it names parts, links and rows by their numbers.

/** The elements that text of a server can become; the page draws no other. */
export const pageTags: readonly string[] =
  'p h3 h4 h5 h6 blockquote ul ol li pre code hr br em strong s table thead tbody tr th td link'.split(
    ' ',
  );

export interface PageElement {
  readonly tag: string;
  readonly children: readonly PageNode[];
  /** Of a link: its place among the links of the part. Absent: it leads nowhere. */
  readonly link?: number;
  /** Of a link: where it leads, as text to read. */
  readonly title?: string;
  /** Of an ordered list: its first number. */
  readonly start?: number;
  /** Of a cell. */
  readonly align?: 'left' | 'center' | 'right';
}

export type PageNode = string | PageElement;

/** What is drawn of one part. */
export type PageBody =
  | { readonly kind: 'nodes'; readonly nodes: readonly PageNode[]; readonly isCode: boolean }
  | {
      readonly kind: 'image' | 'audio' | 'video';
      readonly mediaType: string;
      readonly size: number;
    }
  /** JSON that is a list of rows: the page reads it as bytes, as it does pictures. */
  | { readonly kind: 'grid'; readonly size: number }
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

/** What can be done with one part. */
export const partVerbs = ['open', 'save', 'read', 'openOutside'] as const;
export type PartVerb = (typeof partVerbs)[number];

/** What can be done with the whole answer. */
export const answerVerbs = ['runAgain', 'edit', 'save', 'compare', 'expect', 'text'] as const;
export type AnswerVerb = (typeof answerVerbs)[number];

export interface PageButton<Verb> {
  readonly verb: Verb;
  readonly label: string;
}

export interface PageBlock {
  /** Of the part. */
  readonly number: number;
  readonly title: string;
  readonly facts: string;
  /** Sentences of ours about it; a warning begins with its sign. */
  readonly notes: readonly string[];
  readonly buttons: readonly PageButton<PartVerb>[];
  readonly body: PageBody;
  /** Whether it is the server's words about an error. */
  readonly isError: boolean;
  /** Closed until the user opens it. */
  readonly isFolded: boolean;
}

export interface PageHead {
  readonly title: string;
  /** Tool, server, time and arguments in one line. */
  readonly summary: string;
  /** The same in full, shown when the line is opened. */
  readonly details: readonly string[];
  readonly problems: readonly string[];
  readonly buttons: readonly PageButton<AnswerVerb>[];
  readonly blockCount: number;
  readonly texts: PageTexts;
}

/** The words of the page's own controls, in the language of the window. */
export interface PageTexts {
  readonly error: string;
  readonly loading: string;
  readonly openPicture: string;
  readonly notPlayable: string;
  readonly notDrawable: string;
  readonly filter: string;
  readonly rows: string;
  readonly copyCsv: string;
  readonly copyMarkdown: string;
  readonly copied: string;
  readonly sortBy: string;
  readonly moreColumns: string;
}

/** From the extension; `edition` grows whenever the answer is another. */
export type ToPage =
  | { readonly type: 'answer'; readonly edition: number; readonly head: PageHead }
  | {
      readonly type: 'blocks';
      readonly edition: number;
      readonly from: number;
      readonly blocks: readonly PageBlock[];
    }
  /** A piece of a picture, sound or film; without bytes where they cannot be had. */
  | {
      readonly type: 'bytes';
      readonly edition: number;
      readonly number: number;
      readonly offset: number;
      readonly bytes?: Uint8Array;
    }
  /** The answer is not kept any more. */
  | { readonly type: 'gone'; readonly sentence: string };

/** From the page. */
export type FromPage =
  | { readonly type: 'ready' }
  /** The blocks from this place on. */
  | { readonly type: 'blocks'; readonly edition: number; readonly from: number }
  | {
      readonly type: 'bytes';
      readonly edition: number;
      readonly number: number;
      readonly offset: number;
    }
  | { readonly type: 'answerVerb'; readonly verb: AnswerVerb }
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
