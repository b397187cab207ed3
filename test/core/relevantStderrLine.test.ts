import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { relevantStderrLine } from '../../src/core/stdio/relevantStderrLine';
import { projectFolder } from '../vscode/paths';

// Ends of real programs, as they stood on stderr: Node 20, Python 3.11, npm 11 against a registry
// that refuses, Java 17, Rust 1.95, Perl, shells and Docker were run for it; those of uv and Go are
// quoted from their users' reports.
const folder = path.join(projectFolder, 'test/fixtures/endings');

const told: Readonly<Record<string, string>> = {
  'bash-missing': 'bash: line 1: no-such-command: command not found',
  docker:
    'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  'go-panic': 'panic: runtime error: invalid memory address or nil pointer dereference',
  'java-class':
    'Error: Could not find or load main class NoSuchClass (java.lang.ClassNotFoundException: NoSuchClass)',
  'java-missing': 'Error: Unable to access jarfile nosuch.jar',
  'java-throw':
    'Exception in thread "main" java.lang.IllegalStateException: port 8080 in use (java.lang.RuntimeException: inner cause)',
  'log-pino': 'NOTION_TOKEN is not set',
  'log-winston': 'Failed to connect to database: password authentication failed for user "x"',
  'node-aggregate': 'AggregateError: All connections failed',
  'node-ansi': 'Error: the directory /data does not exist',
  'node-badflag': 'node: bad option: --no-such-flag',
  'node-cause': 'Error: Cannot reach the project host (Error: bad port)',
  'node-cjs-missing': "Error: Cannot find module 'no-such-module-here'",
  'node-esm-missing':
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'no-such-module-here' imported from /home/me/server/nomodule.mjs",
  'node-fetch': 'TypeError: fetch failed (Error: bad port)',
  'node-handled': 'Fatal error in main(): Error: connect ECONNREFUSED 127.0.0.1:5432',
  'node-listen': 'Error: listen EADDRNOTAVAIL: address not available 203.0.113.1:1',
  'node-noexport':
    "SyntaxError: The requested module 'node:fs' does not provide an export named 'nope'",
  'node-nofile': "Error: Cannot find module '/no/such/server.js'",
  'node-props': 'ApiError: 401 Unauthorized: the token is invalid',
  'node-reject':
    'UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "just a string".',
  'node-syntax': "SyntaxError: Unexpected token ';'",
  'node-throw': 'Error: Missing BRAVE_API_KEY environment variable',
  'node-usage': 'Usage: mcp-server-filesystem [allowed-directory] [additional-directories...]',
  'node-zod': 'ZodError: API_KEY: Invalid input: expected string, received undefined',
  'node-zodlog':
    'Invalid configuration: API_KEY: Invalid input: expected string, received undefined',
  'npm-401': 'Incorrect or missing password.',
  'npm-403': '403 Forbidden - GET https://registry.npmjs.org/forbidden - Forbidden',
  'npm-404':
    '404 Not Found - GET https://registry.npmjs.org/@example-scope/mcp-missing - Not found',
  'npm-badtar': 'could not determine executable to run',
  'npm-etarget': 'No matching version found for has-versions@9.',
  'npm-nobin': 'could not determine executable to run',
  'npm-offline':
    'FetchError: request to https://registry.npmjs.org/whatever-x failed, reason: connect ECONNREFUSED 127.0.0.1:4873',
  'npm-script':
    "Could not read package.json: Error: ENOENT: no such file or directory, open '/home/me/server/package.json'",
  'perl-die':
    "Can't locate NoSuch/Module.pm in @INC (you may need to install the NoSuch::Module module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/lib/x86_64-linux-gnu/perl-base /usr/lib/x86_64-linux-gnu/perl/5.36 /usr/share/perl/5.36 /usr/local/lib/site_perl) at -e line 1.",
  'perl-die2': 'cannot open config: at -e line 1.',
  'python-chain': 'RuntimeError: configuration could not be read',
  'python-group': 'ValueError: the API key is empty',
  'python-m': '/usr/bin/python3: No module named no_such_module',
  'python-mod': "ModuleNotFoundError: No module named 'no_such_module'",
  'python-multi':
    'ValidationError: 1 validation error for Settings api_key Field required [type=missing, input_value={}, input_type=dict]',
  'python-nofile':
    "/usr/bin/python3: can't open file '/no/such.py': [Errno 2] No such file or directory",
  'python-tb': "KeyError: 'GITHUB_TOKEN_MISSING'",
  'python-usage': 'mcp-server-sqlite: error: the following arguments are required: --db-path',
  'python-warn': 'ERROR:root:Could not open database: unable to open database file',
  'rust-main': 'Error: "DATABASE_URL must be set"',
  'rust-panic': 'failed to load settings: "no config"',
  'sh-missing': 'sh: 1: no-such-command: not found',
  'uvx-missing':
    'Because new-printer was not found in the package registry and you require new-printer, we can conclude that your requirements are unsatisfiable.',
  'uvx-windows':
    'Because flask-user==0.6.8 was yanked and all versions of rio depend on flask-user==0.6.8, we can conclude that all versions of rio cannot be used. And because you require rio, we can conclude that your requirements are unsatisfiable.',
};

function ending(name: string): string {
  return readFileSync(path.join(folder, `${name}.txt`), 'utf8');
}

describe('the relevant line of stderr', () => {
  it('is found in every example of the corpus', () => {
    const names = readdirSync(folder).map((file) => path.basename(file, '.txt'));
    assert.deepEqual(names.toSorted(), Object.keys(told).toSorted());
  });

  for (const [name, line] of Object.entries(told)) {
    it(`of ${name} is “${line.slice(0, 60)}”`, () => {
      assert.equal(relevantStderrLine(ending(name)), line);
    });
  }

  it('is found after earlier log lines', () => {
    const before = 'Starting server v1.2.0\nLoading configuration from /etc/x\n';
    for (const [name, line] of Object.entries(told)) {
      assert.equal(relevantStderrLine(before + ending(name)), line, name);
    }
  });

  it('is found with Windows line ends and terminal colors', () => {
    for (const [name, line] of Object.entries(told)) {
      const coloured = ending(name)
        .split('\n')
        .map((each) => `\u001b[31m${each}\u001b[39m\r\n`)
        .join('');
      assert.equal(relevantStderrLine(coloured), line, name);
    }
  });

  it('is one line of the output, whatever the output is', () => {
    const odd = fc.constantFrom(
      '{"a":',
      '[',
      '}',
      'npm error ',
      '╰─▶ ',
      'Error: ',
      '\n',
      '    at x',
      '|',
    );
    const text = fc
      .array(fc.oneof(odd, fc.string({ unit: 'binary' })))
      .map((parts) => parts.join(''));
    fc.assert(fc.property(text, (tail) => !/[\r\n]/.test(relevantStderrLine(tail))));
    assert.equal(relevantStderrLine(''), '');
    assert.equal(relevantStderrLine(`${'{"a":'.repeat(3_000)}}`).length <= 1_000, true);
  });
});
