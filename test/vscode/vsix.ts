import { spawn } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from './paths';

/** Not needed to build, or not ours to change: a build of the package must not replace dist/. */
const leftOut = new Set(['node_modules', 'dist', 'test', '.git', '.vscode-test']);

/**
 * Makes the package as `npm run package` does, from a copy of the project in `folder`. Gives the
 * `.vsix` file and what was printed.
 */
export async function buildVsix(folder: string): Promise<{ file: string; output: string }> {
  const copy = path.join(folder, 'project');
  await mkdir(copy);
  await cp(projectFolder, copy, {
    recursive: true,
    filter: (source) => !leftOut.has(path.relative(projectFolder, source)),
  });
  await symlink(path.join(projectFolder, 'node_modules'), path.join(copy, 'node_modules'), 'dir');
  const file = path.join(folder, 'toolgate.vsix');
  const output = await new Promise<string>((resolve, reject) => {
    const child = spawn('npm', ['run', 'package', '--', '--out', file], {
      cwd: copy,
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
  return { file, output };
}
