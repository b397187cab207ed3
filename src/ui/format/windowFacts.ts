/** What texts depend on beside their subject. Only VS Code knows it, and texts are made without an editor. */
export interface WindowFacts {
  /** The display language, as a language tag. */
  readonly language: string;
  readonly isTrusted: () => boolean;
  /** The path inside its workspace folder, if it is in one. */
  readonly relativePath: (path: string) => string;
}

let facts: WindowFacts = {
  language: 'en',
  isTrusted: () => true,
  relativePath: (path) => path,
};

/** Called once, by `start.ts`, before any text is made. */
export function setWindowFacts(given: WindowFacts): void {
  facts = given;
}

export function windowFacts(): WindowFacts {
  return facts;
}
