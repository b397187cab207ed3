import path from 'node:path';

/** True if a path is the folder or leads into it, judged by the texts alone. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}
