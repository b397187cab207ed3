// Takes the place of the native module `@vscode/spdlog` in the VS Code Server of the tests, where
// nothing is compiled. Output channels show what is in these files, so without it they stay empty.
const { appendFileSync, mkdirSync } = require('node:fs');
const path = require('node:path');

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'off'];

class Logger {
  constructor(kind, name, file) {
    this.file = file;
    this.level = 2;
    this.isRaw = false;
  }
  write(level, message) {
    if (levels.indexOf(level) < this.level) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    appendFileSync(this.file, this.isRaw ? message : `${time} [${level}] ${message}\n`);
  }
  trace(message) {
    this.write('trace', message);
  }
  debug(message) {
    this.write('debug', message);
  }
  info(message) {
    this.write('info', message);
  }
  warn(message) {
    this.write('warn', message);
  }
  error(message) {
    this.write('error', message);
  }
  critical(message) {
    this.write('critical', message);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  clearFormatters() {
    this.isRaw = true;
  }
  setPattern() {}
  flush() {}
  drop() {}
}

async function createLogger(name, file) {
  mkdirSync(path.dirname(file), { recursive: true });
  return new Logger('rotating', name, file);
}

exports.version = 1;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
