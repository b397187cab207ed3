import files from 'node:fs';
import disk from 'node:fs/promises';
import path from 'node:path';

const ofPaths = [
  'stat',
  'lstat',
  'open',
  'readdir',
  'readFile',
  'appendFile',
  'rename',
  'rm',
  'mkdir',
];
const ofHandles = [
  'write',
  'writeFile',
  'read',
  'readFile',
  'stat',
  'sync',
  'datasync',
  'truncate',
];

/**
 * What is asked of the disk while `work` goes on: `stat changes` for each, by the file's name; what
 * is asked here and now counts as what is asked in the background.
 */
export async function askedOfDisk(work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const asked = new Map<string, number>();
  const note = (what: string): void => void asked.set(what, (asked.get(what) ?? 0) + 1);
  const handle = await disk.open(__filename);
  const prototype: object = Object.getPrototypeOf(handle);
  await handle.close();
  const restore = [
    ...ofPaths.map((name) =>
      listen(disk, name, ([file]) => note(`${name} ${path.basename(String(file))}`)),
    ),
    ...ofHandles.map((name) => listen(prototype, name, () => note(`handle ${name}`))),
    listen(files, 'statSync', ([file]) => note(`stat ${path.basename(String(file))}`)),
    listen(files, 'writeSync', () => note('handle write')),
  ];
  try {
    await work();
  } finally {
    for (const each of restore) each();
  }
  return asked;
}

/** Hears each call of a function that then does what it always does. */
function listen(on: object, name: string, heard: (args: readonly unknown[]) => void): () => void {
  const real: unknown = Reflect.get(on, name);
  if (typeof real !== 'function') throw new Error(`no function: ${name}`);
  Reflect.set(on, name, function (this: unknown, ...args: readonly unknown[]): unknown {
    heard(args);
    return Reflect.apply(real, this, args);
  });
  return () => void Reflect.set(on, name, real);
}
