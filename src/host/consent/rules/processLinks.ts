import { lstat, readlink, statfs } from 'node:fs/promises';
import nativePath from 'node:path';

/** As many as Linux follows before it gives up. */
const maxLinks = 40;
const maxSegments = 1_024;

/** The file system on which Linux shows processes, wherever it is mounted. */
const procType = 0x9fa0;

/** Places that are others for each process: its folder, its root, what it has open. */
const ofProcesses = /^\/(?:proc|\.vol|dev\/(?:fd|std\w+|tty))(?:\/|$)/i;

/**
 * Whether the way along `path`, an absolute one that is not normalised, leads through a place that
 * is another one for each process, such as `/proc/self/cwd` or `/dev/fd/3`: what is found there by us
 * says nothing about what a server finds. Links are followed one by one. `true` too where the way
 * cannot be told. Windows has no such places.
 */
export async function leadsThroughProcess(path: string): Promise<boolean> {
  if (nativePath.sep === '\\') return false;
  const open = segmentsOf(path).toReversed();
  let at = '/';
  let links = 0;
  let steps = 0;
  for (let segment = open.pop(); segment !== undefined; segment = open.pop()) {
    if (++steps > maxSegments) return true;
    const next = nativePath.posix.join(at, segment);
    if (ofProcesses.test(next)) return true;
    const target = segment === '..' ? undefined : await targetOf(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > maxLinks || (await isProc(at))) return true;
    if (target.startsWith('/')) at = '/';
    open.push(...segmentsOf(target).toReversed());
  }
  return isProc(at);
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((each) => each !== '' && each !== '.');
}

/** `undefined` for what is no link; what is not there or cannot be looked at has no link behind it. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    return undefined;
  }
}

async function isProc(folder: string): Promise<boolean> {
  try {
    return (await statfs(folder)).type === procType;
  } catch {
    return false;
  }
}
