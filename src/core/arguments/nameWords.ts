/** Names of fields that hold the path of one file; the most certain one first. */
export const fileNameWords: readonly string[] = ['path', 'file', 'filename', 'filepath'];

export const uriWords: readonly string[] = ['uri'];

export const folderWords: readonly string[] =
  'path dir directory directories folder cwd root uri'.split(' ');

/** Names of fields that hold a text; the most certain one first. */
export const textWords: readonly string[] =
  'content contents text code source snippet body input markdown html message prompt query'.split(
    ' ',
  );

const maxNameChars = 200;

/** `filePath`, `file_path` and `FILE-PATH` as `file` and `path`; of very long names the beginning. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .slice(0, maxNameChars)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}
