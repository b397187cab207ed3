/** Zero-based lines, both inclusive. */
export interface FoldRange {
  readonly start: number;
  readonly end: number;
}

const maxFolds = 5_000;

/** Finds the foldable regions of a Markdown text: sections below headings, and fenced code. */
export function markdownFolds(lines: Iterable<string>): readonly FoldRange[] {
  const folds: FoldRange[] = [];
  const sections: { readonly level: number; readonly start: number }[] = [];
  let fence: { readonly mark: string; readonly start: number } | undefined;
  let last = -1;
  let line = 0;
  const close = (level: number): void => {
    for (;;) {
      const section = sections.at(-1);
      if (section === undefined || section.level < level) return;
      sections.pop();
      if (last > section.start) folds.push({ start: section.start, end: last });
    }
  };
  for (const text of lines) {
    if (folds.length >= maxFolds) return folds;
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence.mark) === true) {
        folds.push({ start: fence.start, end: line });
        fence = undefined;
      }
    } else if (mark !== undefined) fence = { mark, start: line };
    else {
      const [, signs] = /^ {0,3}(#{1,6})(?:\s|$)/.exec(text) ?? [];
      if (signs !== undefined) {
        close(signs.length);
        sections.push({ level: signs.length, start: line });
      }
    }
    if (text.trim() !== '') last = line;
    line += 1;
  }
  close(0);
  return folds;
}
