import { build, type Plugin } from 'esbuild';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { cacheFolder, projectFolder } from './vscode/paths';

const scriptName = 'tests.js';

/** Files name others beside them: they still stand where their source does. */
const placesOfSources: Plugin = {
  name: 'places-of-sources',
  setup(building) {
    building.onLoad({ filter: /[\\/](src|test)[\\/].*\.ts$/ }, ({ path: file }) => {
      const places = { __dirname: path.dirname(file), __filename: file };
      const text = readFileSync(file, 'utf8');
      const named = Object.entries(places).filter(([name]) => text.includes(name));
      const constants = named.map(([name, place]) => `const ${name} = ${JSON.stringify(place)};`);
      return { contents: constants.join('') + text, loader: 'ts' };
    });
  },
};

/**
 * The files of test/ as one script, which a process loads once: a loader of TypeScript translates every file
 * for every process, and calls between files are slower there. `vscode` and packages are found at run time.
 * In the folder, which is below `cacheFolder`, each file has one beside it that runs its part of the script.
 */
export async function bundleTests(folder: string, files: readonly string[]): Promise<void> {
  const script = path.join(folder, scriptName);
  const parts = files.map((file) => {
    const source = JSON.stringify(path.resolve(projectFolder, file));
    return `${source}: () => require(${source}),`;
  });
  await build({
    absWorkingDir: projectFolder,
    stdin: { contents: `module.exports = { ${parts.join('\n')} };`, resolveDir: projectFolder },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
    plugins: [placesOfSources],
  });
  for (const file of files) {
    const bundled = bundledTest(folder, file);
    mkdirSync(path.dirname(bundled), { recursive: true });
    const [from, source] = [script, path.resolve(projectFolder, file)].map((each) =>
      JSON.stringify(each),
    );
    writeFileSync(bundled, `module.exports = require(${from})[${source}]();\n`);
  }
}

/** What runs a file of test/ that stands in the script of the folder. */
export function bundledTest(folder: string, file: string): string {
  const source = path.relative(projectFolder, path.resolve(projectFolder, file));
  return path.join(folder, source.replace(/\.ts$/, '.js'));
}

/** The file of test/ that a bundled one runs, as the report names it. */
export function sourceOfTest(bundled: string): string {
  const [, , ...name] = path.relative(cacheFolder, bundled).split(path.sep);
  return path.join(...name).replace(/\.js$/, '.ts');
}

const maps = new Map<string, SourceMap>();

/** The text with lines of test/ and src/ where it names those of a script that `bundleTests` made. */
export function withSourceLines(text: string): string {
  return text.replaceAll(
    /(?:file:\/\/)?([^\s:(]+[\\/]tests\.js):(\d+):(\d+)/g,
    (place, script: string, line: string, column: string) => {
      const file = `${script}.map`;
      if (!maps.has(file) && !existsSync(file)) return place;
      const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
      maps.set(file, map);
      const found = map.findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalSource' in found)) return place;
      const source = path.resolve(path.dirname(script), found.originalSource);
      const start = `${found.originalLine + 1}:${found.originalColumn + 1}`;
      return `${path.relative(projectFolder, source)}:${start}`;
    },
  );
}
