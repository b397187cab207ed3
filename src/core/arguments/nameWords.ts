/** Field names for the path of one file, the most certain one first. */
export const fileNameWords: readonly string[] = ['path', 'file', 'filename', 'filepath'];

export const uriWords: readonly string[] = ['uri'];

export const folderWords: readonly string[] =
  'path dir directory directories folder cwd root uri'.split(' ');

/** Field names for a text, the most certain one first. */
export const textWords: readonly string[] =
  'content contents text code source snippet body input markdown html message prompt query'.split(
    ' ',
  );

const maxNameChars = 200;

/** Splits `filePath`, `file_path` and `FILE-PATH` into `file` and `path`. Cuts very long names. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .slice(0, maxNameChars)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}
