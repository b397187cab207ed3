// The main script of the single executable. It contains the scripts of the package as assets, and runs
// toolgate.js, or the script that its first argument names as a file of the folder below.
const path = require('node:path');
const { getAsset } = require('node:sea');
const { compileFunction } = require('node:vm');

/** This folder cannot exist, so no file can stand for a script. */
const folder = path.join(process.execPath, 'dist');

function load(name) {
  // A function cannot begin with the line that names the interpreter.
  const code = getAsset(name, 'utf8').replace(/^#!.*/, '');
  const file = path.join(folder, name);
  const module = { exports: {} };
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
  const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  const run = compileFunction(code, parameters, { filename: file });
  run(module.exports, requireFrom, module, file, folder);
  return module.exports;
}

const [, , first = ''] = process.argv;
const isScript = path.dirname(first) === folder;
// Scripts find their own file at index 1.
if (isScript) process.argv.splice(1, 1);
load(isScript ? path.basename(first) : 'toolgate.js');
