import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** No run takes as long. */
const maxAgeMs = 24 * 60 * 60 * 1_000;
/** The temporary folders of tests. Those of the extension and of the command line have other names. */
const ours = /^toolgate-[a-z-]+-[A-Za-z0-9]{6}$/;

/** Removes temporary folders of earlier runs that were killed before they could do it. */
export function removeLeftFolders(place = tmpdir(), now = Date.now()): void {
  for (const name of readdirSync(place).filter((each) => ours.test(each))) {
    const folder = path.join(place, name);
    try {
      const status = lstatSync(folder);
      if (status.isDirectory() && now - status.mtimeMs > maxAgeMs) {
        rmSync(folder, { recursive: true, force: true });
      }
    } catch {
      // Another run has removed it meanwhile, or it belongs to another user.
    }
  }
}
