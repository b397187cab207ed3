import { buildSync } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let folder: string | undefined;
const files = new Map<string, string>();

/**
 * A program of the tests as one file of plain JavaScript. In a process it is bundled once, when it is first
 * needed: a loader of TypeScript takes longer to start than most of these programs live.
 */
export function bundled(source: string): string {
  const known = files.get(source);
  if (known !== undefined) return known;
  const place = (folder ??= makeFolder());
  const file = path.join(place, `${files.size}-${path.basename(source, '.ts')}.cjs`);
  buildSync({
    entryPoints: [source],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    // Programs name files beside themselves.
    define: { __dirname: JSON.stringify(path.dirname(source)) },
    logLevel: 'error',
  });
  files.set(source, file);
  return file;
}

function makeFolder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'toolgate-programs-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}
