// Makes dist/commandLine/, the npm package of the command line: its bundles, its manual as README, and a
// manifest without dependencies. `npm pack ./dist/commandLine` packs it.
const { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');
const { commandLineBundles } = require('../esbuild');

const root = path.join(__dirname, '..');
const target = path.join(root, 'dist/commandLine');

/** The package holds one page, so links to others become their text. */
function withoutRelativeLinks(text) {
  return text.replaceAll(/\[([^[\]]*)\]\((?![a-z]+:|#)[^)\s]+\)/g, '$1');
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return {
    name: 'toolgate',
    version,
    description: 'Tests MCP servers from call files, and calls their tools, within rules.',
    license,
    keywords: ['mcp', 'model context protocol', 'test', 'cli'],
    bin: { toolgate: 'dist/toolgate.js' },
    engines: { node: '>=20' },
    files: ['dist'],
  };
}

async function main() {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(path.join(target, 'dist'), { recursive: true });
  const common = { minify: true, sourcemap: false, metafile: false, logLevel: 'warning' };
  for (const bundle of commandLineBundles) {
    const outfile = path.join(target, 'dist', path.basename(bundle.outfile));
    await esbuild.build({ ...bundle, ...common, outfile });
  }
  const manual = readFileSync(path.join(root, 'docs/command-line.md'), 'utf8');
  writeFileSync(path.join(target, 'README.md'), withoutRelativeLinks(manual));
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);
  copyFileSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
