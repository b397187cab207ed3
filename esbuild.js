// Builds what ships, into dist/: the extension, of which dist/chunks/ has what an `import(…)` in the
// sources loads, the demo server, the command line, the SDK for servers that these share, the bridge for
// agents, the process that filters JSON, and the page of an answer.
//   node esbuild.js               one build with source maps
//   node esbuild.js --watch       and again on every change
//   node esbuild.js --production  minified, without source maps, for the package
const { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const esbuild = require('esbuild');

const isProduction = process.argv.includes('--production');
const isWatching = process.argv.includes('--watch');

/** The lines that the watch task of VS Code waits for. */
const announce = {
  name: 'announce',
  setup(build) {
    build.onStart(() => console.log('build started'));
    build.onEnd(() => console.log('build finished'));
  },
};

/**
 * A namespace that is imported is copied, name by name, for each file that does so; `vscode` has
 * hundreds of names, and two hundred files want it and `@vscode/l10n`. As itself it costs nothing.
 */
const uncopiedNamespaces = {
  name: 'uncopied-namespaces',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /^import \* as (vscode|l10n) from ('vscode'|'@vscode\/l10n');/gm,
        'import $1 = require($2);',
      ),
      loader: 'ts',
    }));
  },
};

/** Of the table of media types only the extensions, a quarter of it, and as itself: see above. */
const onlyExtensions = {
  name: 'only-extensions',
  setup(build) {
    build.onResolve({ filter: /^mime-db$/ }, () => ({ path: require.resolve('mime-db/db.json') }));
    build.onLoad({ filter: /mime-db[\\/]db\.json$/ }, ({ path }) => {
      const types = Object.entries(JSON.parse(readFileSync(path, 'utf8')));
      const kept = types.flatMap(([type, { extensions }]) =>
        extensions === undefined ? [] : [[type, { extensions }]],
      );
      const text = JSON.stringify(JSON.stringify(Object.fromEntries(kept)));
      return { contents: `export default JSON.parse(${text});` };
    });
  },
};

/** VS Code has read the translation: the smaller of the two builds, which reads no files, will do. */
const textsWithoutFiles = {
  name: 'texts-without-files',
  setup(build) {
    build.onResolve({ filter: /^@vscode\/l10n$/ }, () => ({
      path: require.resolve('@vscode/l10n/dist/browser.js'),
    }));
  },
};

/** The demo server checks arguments with the smaller of the two validators that its SDK brings. */
const smallValidator = {
  name: 'small-validator',
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ resolveDir }) => ({
      path: 'shims',
      namespace: 'small-validator',
      pluginData: resolveDir,
    }));
    build.onLoad({ filter: /.*/, namespace: 'small-validator' }, ({ pluginData: resolveDir }) => ({
      contents: `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator }
        from '@modelcontextprotocol/server/validators/cf-worker';
        export { default as process } from 'node:process';`,
      resolveDir,
    }));
  },
};

/** The SDK for servers is in one bundle, which the others load from `file`. */
const oneServerSdk = (file) => ({
  name: 'one-server-sdk',
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/server(\/stdio)?$/ }, () => ({
      path: file,
      external: true,
    }));
  },
});

/** Addresses in texts are found by ourselves, in Markdown as anywhere. */
const noLinkify = {
  name: 'no-linkify',
  setup(build) {
    build.onResolve({ filter: /^linkify-it$/ }, () => ({ path: 'none', namespace: 'no-linkify' }));
    build.onLoad({ filter: /.*/, namespace: 'no-linkify' }, () => ({
      contents: 'export class LinkifyIt {} export default LinkifyIt;',
    }));
  },
};

const chunks = join(__dirname, 'dist/chunks');

/** esbuild splits only ES modules, and an extension is loaded by `require`. */
const writeAsCommonJs = {
  name: 'write-as-common-js',
  setup(build) {
    const { minify, sourcemap, platform, target } = build.initialOptions;
    build.onEnd(async ({ outputFiles = [] }) => {
      if (outputFiles.length === 0) return;
      mkdirSync(chunks, { recursive: true });
      for (const { path: file, text } of outputFiles) {
        const { code, map } = await esbuild.transform(text, {
          format: 'cjs',
          // `require` in place of `import(…)`, which would look for `vscode` in another way.
          supported: { 'dynamic-import': false },
          platform,
          target,
          minify,
          sourcemap: sourcemap && 'external',
        });
        // In a file of its own, which a window does not read.
        if (map) writeFileSync(`${file}.map`, map);
        writeFileSync(file, map ? `${code}//# sourceMappingURL=${basename(file)}.map\n` : code);
      }
      // Last, because a window that is open may still load what was there before.
      const written = new Set(outputFiles.map(({ path: file }) => basename(file)));
      for (const name of readdirSync(chunks)) {
        if (!written.has(name.replace(/\.map$/, ''))) rmSync(join(chunks, name));
      }
    });
  },
};

/** @type {import('esbuild').BuildOptions} */
const shared = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // jsonc-parser's "main" is UMD, whose inner requires no bundler can follow.
  mainFields: ['module', 'main'],
  minify: isProduction,
  sourcemap: !isProduction,
  metafile: true,
  logLevel: 'info',
  plugins: [
    uncopiedNamespaces,
    onlyExtensions,
    textsWithoutFiles,
    smallValidator,
    noLinkify,
    ...(isWatching ? [announce] : []),
  ],
};

const besideSdk = { plugins: [oneServerSdk('./mcpServer.js'), ...shared.plugins] };
const commandLineBundles = [
  { ...shared, entryPoints: ['src/mcpServer.ts'], outfile: 'dist/mcpServer.js' },
  {
    ...shared,
    ...besideSdk,
    entryPoints: ['src/demo/server.ts'],
    outfile: 'dist/demoServer.js',
  },
  {
    ...shared,
    ...besideSdk,
    entryPoints: ['src/cli/toolgate.ts'],
    outfile: 'dist/toolgate.js',
    banner: { js: '#!/usr/bin/env node' },
  },
];
// Also built by .ci/commandLinePackage.js.
module.exports = { commandLineBundles };

async function main() {
  const bundles = [
    {
      ...shared,
      // Only files in dist/chunks/ use the SDK.
      plugins: [oneServerSdk('../mcpServer.js'), ...shared.plugins, writeAsCommonJs],
      entryPoints: { extension: 'src/start.ts' },
      outdir: 'dist',
      chunkNames: 'chunks/[name]-[hash]',
      format: 'esm',
      splitting: true,
      write: false,
      sourcemap: shared.sourcemap && 'inline',
      external: ['vscode'],
    },
    ...commandLineBundles,
    { ...shared, entryPoints: ['src/gateway/gateway.ts'], outfile: 'dist/gateway.js' },
    { ...shared, entryPoints: ['src/filter/filterJson.ts'], outfile: 'dist/filterJson.js' },
    // Stands within the document of its page, style beside it: there are no other files to load.
    {
      ...shared,
      platform: 'browser',
      format: 'iife',
      target: 'es2022',
      sourcemap: false,
      entryPoints: ['src/page/page.ts', 'src/page/page.css'],
      outdir: 'dist',
    },
  ];
  if (isWatching) {
    for (const bundle of bundles) await (await esbuild.context(bundle)).watch();
    return;
  }
  mkdirSync('dist', { recursive: true });
  for (const bundle of bundles) {
    const result = await esbuild.build(bundle);
    // Read by the package test (what is inside, how large) and by people: https://esbuild.github.io/analyze/
    const file =
      bundle.outfile ?? (bundle.platform === 'browser' ? 'dist/page.js' : 'dist/extension.js');
    writeFileSync(file.replace(/\.js$/, '.meta.json'), JSON.stringify(result.metafile));
  }
}

if (require.main === module) {
  main().catch(() => {
    process.exitCode = 1;
  });
}
