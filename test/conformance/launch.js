// `npm run --silent conformance-client -- <server-url>`: runs client.ts from its source. A suite
// starts dozens of clients at once, so it is bundled in memory, in a fraction of the time that
// a loader takes for each file.
const { buildSync } = require('esbuild');
const path = require('node:path');
const { compileFunction } = require('node:vm');

const source = path.join(__dirname, 'client.ts');
const { outputFiles } = buildSync({
  entryPoints: [source],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  mainFields: ['module', 'main'],
  logLevel: 'error',
});
const names = ['exports', 'require', 'module', '__filename', '__dirname'];
const run = compileFunction(outputFiles[0].text, names, { filename: source });
run({}, require, { exports: {} }, source, __dirname);
