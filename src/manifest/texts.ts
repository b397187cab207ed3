const texts = new Map<string, string>();

/** Adds a text to `package.nls.json`, and returns what stands for it in the manifest. */
export function text(key: string, english: string): string {
  if ((texts.get(key) ?? english) !== english) throw new Error(`There are two texts for ${key}.`);
  texts.set(key, english);
  return `%${key}%`;
}

/** Returns all texts that were added, by key. */
export function allTexts(): Readonly<Record<string, string>> {
  return Object.fromEntries([...texts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
