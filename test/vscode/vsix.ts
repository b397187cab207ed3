import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from './paths';

/** Not needed to build, or not ours to change: a build of the package must not replace dist/. */
const leftOut = new Set(['node_modules', 'dist', 'test', '.git', '.vscode-test']);

/** Names the folder in which `buildVsix` has already been at work in this run of the tests. */
export const builtVsixVariable = 'TOOLGATE_TEST_BUILT_VSIX';

/** The package, and what was printed when it was made. */
interface Vsix {
  readonly file: string;
  readonly output: string;
}

const vsixIn = (folder: string) => path.join(folder, 'toolgate.vsix');
const outputIn = (folder: string) => path.join(folder, 'vsix.log');

/** The package of this run, if there is one already; else it is made in `folder`. */
export async function findOrBuildVsix(folder: string): Promise<Vsix> {
  const built = process.env[builtVsixVariable];
  if (built === undefined) return buildVsix(folder);
  return { file: vsixIn(built), output: await readFile(outputIn(built), 'utf8') };
}

/** Makes the package as `npm run package` does, from a copy of the project in `folder`. */
export async function buildVsix(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Vsix> {
  const copy = path.join(folder, 'project');
  await mkdir(copy);
  await cp(projectFolder, copy, {
    recursive: true,
    filter: (source) => !leftOut.has(path.relative(projectFolder, source)),
  });
  await symlink(path.join(projectFolder, 'node_modules'), path.join(copy, 'node_modules'), 'dir');
  const file = vsixIn(folder);
  const output = await new Promise<string>((resolve, reject) => {
    const child = spawn('npm', ['run', 'package', '--', '--out', file], {
      cwd: copy,
      env: { ...process.env, ...environment },
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (text += String(chunk)));
    }
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve(text);
      reject(new Error(`"npm run package" failed with code ${code}:\n${text}`));
    });
  });
  await writeFile(outputIn(folder), output);
  return { file, output };
}
