// Makes dist/commandLine/, the npm package of the command line: its bundles, its manual as README, and a
// manifest without dependencies. `npm pack ./dist/commandLine` packs it. With --binary, it makes
// dist/toolgate (.exe on Windows), which is this Node with the bundles in it.
const { execFileSync } = require('node:child_process');
const {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');
const { inject } = require('postject');
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

/** See https://nodejs.org/api/single-executable-applications.html. */
async function writeBinary() {
  const bundles = commandLineBundles.map(({ outfile }) => path.basename(outfile));
  const [config, blob] = [path.join(target, 'binary.json'), path.join(target, 'binary.blob')];
  const assets = bundles.map((name) => [name, path.join(target, 'dist', name)]);
  const settings = {
    main: path.join(__dirname, 'binaryMain.js'),
    output: blob,
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(assets),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'ignore' });
  const binary = path.join(
    root,
    'dist',
    process.platform === 'win32' ? 'toolgate.exe' : 'toolgate',
  );
  const sign = (...parameters) => {
    if (process.platform === 'darwin') execFileSync('codesign', [...parameters, binary]);
  };
  copyFileSync(process.execPath, binary);
  chmodSync(binary, 0o755);
  sign('--remove-signature');
  await inject(binary, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    machoSegmentName: 'NODE_SEA',
  });
  sign('--sign', '-');
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
  if (process.argv.includes('--binary')) await writeBinary();
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
