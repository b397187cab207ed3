import { build, type Metafile } from 'esbuild';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

// The rooms of the code (ARCHITECTURE.md): start.ts -> extension.ts -> parts -> ui -> host -> core and
// cli -> host -> core, never back.
const allowedImports: Record<string, readonly string[]> = {
  start: ['extension', 'ui', 'ids', 'api'],
  extension: ['parts', 'ui', 'texts', 'host', 'core', 'ids', 'api'],
  parts: ['parts', 'ui', 'texts', 'host', 'core', 'ids', 'api'],
  ui: ['ui', 'texts', 'host', 'core', 'page', 'ids', 'api'],
  texts: ['texts', 'host', 'core'],
  host: ['host', 'core'],
  core: ['core'],
  cli: ['cli', 'texts', 'host', 'core', 'ids'],
  demo: ['demo'],
  gateway: ['gateway', 'host'],
  filter: ['filter', 'core'],
  // It runs in a browser, and knows nothing but what it is sent.
  page: ['page', 'core'],
  ids: [],
  // Is not part of the product: it writes package.json.
  manifest: ['manifest', 'core', 'ids', 'ui'],
  // What three bundles share of the SDK; no source imports it.
  mcpServer: [],
  api: ['core', 'host'],
};

const root = path.resolve(__dirname, '..');
const maxLines = 400;
/** Fewer files than this means that the test looked at nothing. */
const fewestFiles = 30;

interface Source {
  readonly file: string;
  readonly room: string;
  readonly text: string;
}

function roomOf(file: string): string {
  const [, first = '', second] = file.split('/');
  return second === undefined ? path.basename(first, '.ts') : first;
}

/** Every file under src/, and the import graph that really runs (types are gone from it). */
async function readSources(): Promise<{ sources: Source[]; graph: Metafile['inputs'] }> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/**/*.ts'],
    outdir: 'unused',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  });
  const sources = Object.keys(metafile.inputs)
    .filter((file) => file.startsWith('src/'))
    .map((file) => ({
      file,
      room: roomOf(file),
      text: readFileSync(path.join(root, file), 'utf8'),
    }));
  return { sources, graph: metafile.inputs };
}

const importPattern =
  /(?:import|export)\s[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|import\s+'([^']+)'/g;

function importsOf(source: Source): string[] {
  return [...source.text.matchAll(importPattern)].map((m) => m[1] ?? m[2] ?? m[3] ?? '');
}

describe('The rooms', () => {
  let sources: Source[];
  let graph: Metafile['inputs'];
  before(async () => {
    ({ sources, graph } = await readSources());
  });

  const offenders = (pattern: RegExp, isAllowed: (source: Source) => boolean): string[] =>
    sources.filter((s) => !isAllowed(s) && pattern.test(s.text)).map((s) => s.file);

  it('were all checked', () => {
    assert.ok(sources.length >= fewestFiles, `saw ${sources.length} files`);
    const seen = new Set(sources.map((s) => s.room));
    assert.deepEqual([...seen].toSorted(), Object.keys(allowedImports).toSorted());
  });

  it('find everything that they use of the SDK for servers in mcpServer.ts', () => {
    const statement =
      /(?:import|export) \{([^}]*)\} from '@modelcontextprotocol\/server(?:\/stdio)?'/g;
    const namesIn = ({ text }: Source) =>
      [...text.matchAll(statement)].flatMap(([, names = '']) =>
        names.split(',').flatMap((name) => name.trim().match(/^(?!type )\w+/)?.[0] ?? []),
      );
    const isBundle = ({ room }: Source) => room === 'mcpServer';
    const used = new Set(sources.filter((each) => !isBundle(each)).flatMap(namesIn));
    assert.deepEqual(sources.filter(isBundle).flatMap(namesIn).toSorted(), [...used].toSorted());
  });

  it('import only downwards, types included', () => {
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.json'))
        .map((specifier) => path.posix.join(path.posix.dirname(source.file), specifier))
        .filter((target) => !allowedImports[source.room]?.includes(roomOf(target + '.ts')))
        .map((target) => `${source.file} -> ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('run without vscode below ui, and core not even with its types', () => {
    const atRunTime = sources
      .filter((s) => graph[s.file]?.imports.some((i) => i.path === 'vscode'))
      .filter((s) => !['ui', 'parts', 'extension', 'start'].includes(s.room))
      .map((s) => s.file);
    const inTypes = sources
      .filter((s) => ['core', 'cli', 'demo', 'gateway', 'filter', 'page', 'ids'].includes(s.room))
      .filter((s) => importsOf(s).includes('vscode'))
      .map((s) => s.file);
    assert.deepEqual([...atRunTime, ...inTypes], []);
  });

  it('are checked without the types of tests', () => {
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    const seen = spawnSync(tsc, ['--project', 'src', '--listFilesOnly'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    }).stdout.split('\n');
    assert.ok(seen.some((file) => file.endsWith('src/extension.ts')));
    assert.deepEqual(
      seen.filter((file) => /\/(?:test|mocha|fast-check|playwright-core)\//.test(file)),
      [],
    );
  });

  it('have no cycles', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (state.get(file) === 'open') cycles.push([...trail, file].join(' -> '));
      if (state.has(file)) return;
      state.set(file, 'open');
      for (const next of graph[file]?.imports ?? []) {
        if (!next.external) visit(next.path, [...trail, file]);
      }
      state.set(file, 'done');
    };
    for (const source of sources) visit(source.file, []);
    assert.deepEqual(cycles, []);
  });

  it('have one entry to tools/call', () => {
    // One hands calls on to the extension API, which has the gate.
    const doors = ['src/host/calls/gate.ts', 'src/ui/activation/inactiveFiles.ts'];
    const others = offenders(/\.callTool\(/, (s) => doors.includes(s.file) || s.room === 'core');
    assert.deepEqual(others, []);
  });

  it('start processes and read the environment in one place each', () => {
    const starts = offenders(/from 'node:child_process'|from 'cross-spawn'/, (s) =>
      /^src\/core\/(stdio|process)/.test(s.file),
    );
    assert.deepEqual(starts, []);
    const reads = sources.filter((s) => /process\.env\b/.test(s.text)).map((s) => s.file);
    assert.ok(reads.length <= 3, reads.join(', '));
    assert.deepEqual(
      reads.filter((f) => !/^src\/(core\/|extension\.ts|cli\/toolgate\.ts)/.test(f)),
      [],
    );
  });

  it('write ids only in ids.ts', () => {
    assert.deepEqual(
      offenders(
        /'toolgate[.:-][^']*'/,
        (s) => s.room === 'ids' || s.room === 'demo' || s.room === 'api',
      ),
      [],
    );
  });

  it('keep files short', () => {
    const long = sources
      .map((s) => ({ ...s, lines: s.text.split('\n').length - 1 }))
      .filter((s) => s.lines > maxLines)
      .map((s) => `${s.file}: ${s.lines} lines`);
    assert.deepEqual(long, []);
  });

  it('have no barrel files, no catch-all modules, and no output to the console', () => {
    const names = sources.map((s) => s.file).filter((f) => /(index|utils?|helpers?)\.ts$/i.test(f));
    assert.deepEqual(names, []);
    assert.deepEqual(
      offenders(/\bconsole\./, (s) => s.room === 'demo'),
      [],
    );
  });

  it('need no editor for a text: only start.ts requests the translation from VS Code', () => {
    const all = /\bvscode\.l10n\b|\{[^}]*\bl10n\b[^}]*\} (?:from 'vscode'|= vscode\b)/;
    assert.deepEqual(
      sources.filter((s) => all.test(s.text)).map((s) => s.file),
      ['src/start.ts'],
    );
  });

  it('show text to users only in ui and texts', () => {
    assert.deepEqual(
      offenders(/l10n\.t\(/, (s) => ['ui', 'texts', 'extension'].includes(s.room)),
      [],
    );
  });
});
