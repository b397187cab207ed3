import assert from 'node:assert/strict';
import { pinnableEras } from '../../src/core/types';
import path from 'node:path';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import type { ConfigurationContext } from '../../src/host/configuration/variables';
import {
  app,
  file,
  inApp,
  inNoFolder,
  lib,
  only,
  parse,
  parseEntry,
  told,
} from './configurationCases';
import { assertEach } from '../assertions';

const problemsOf = (entry: object): string[] => told(parseEntry(entry).problems);

function cwd(entry: object, context: ConfigurationContext): string | undefined {
  const text = JSON.stringify({ servers: { a: entry } });
  const { transport } = only(parseMcpJson(text, file, context));
  return transport.kind === 'stdio' ? transport.cwd : undefined;
}

describe('A server entry', () => {
  it('without command and URL, or with a wrong type, cannot start', () => {
    const at = 'servers/a';
    const cases: [object, string[]][] = [
      [{}, [`missingCommand ${at} !`]],
      [{ command: '' }, [`missingCommand ${at} !`]],
      [{ command: 5 }, [`wrongType ${at}/command string !`]],
      [{ command: 'x', args: '-v' }, [`wrongType ${at}/args array !`]],
      [{ command: 'x', args: [['-v']] }, [`wrongType ${at}/args/0 string !`]],
      [{ command: 'x', env: [] }, [`wrongType ${at}/env object !`]],
      [{ command: 'x', env: { A: true } }, [`wrongType ${at}/env/A string | number | null !`]],
      [{ command: 'x', env: { 'A=B': '1' } }, [`wrongType ${at}/env/A=B name !`]],
      [{ command: 'x', cwd: null }, [`wrongType ${at}/cwd string !`]],
      [{ command: 'x', type: 'pipe' }, [`wrongType ${at}/type stdio | http | sse !`]],
      [{ type: 'http' }, [`invalidUrl ${at} !`]],
      [{ url: '${env:TOKEN}' }, [`invalidUrl ${at}/url \${env:TOKEN} !`]],
      [{ url: 'example.com' }, [`invalidUrl ${at}/url example.com !`]],
      [{ url: 'unix:///run/mcp.sock#/mcp' }, []],
      [{ url: 'pipe:///pipe/mcp' }, []],
      [{ url: 'file:///etc/passwd' }, [`invalidUrl ${at}/url file:///etc/passwd !`]],
      [{ url: 'http://x', headers: { A: 1 } }, [`wrongType ${at}/headers/A string !`]],
    ];
    assertEach(
      cases,
      ([entry]) => problemsOf(entry),
      cases.map(([, problems]) => problems),
    );
  });

  it('passes numbers in variables as they are written', () => {
    const env = '{ "ID": 1234567890123456789, "VERSION": 1.10, "PORT": 80 }';
    for (const start of ['', '\uFEFF', '// mine\n']) {
      const parsed = parse(`${start}{ "servers": { "a": { "command": "x", "env": ${env} } } }`);
      const { transport } = only(parsed);
      assert.deepEqual(transport.kind === 'stdio' && transport.env, {
        ID: '1234567890123456789',
        VERSION: '1.10',
        PORT: '80',
      });
    }
  });

  it('with a misspelled command or URL has only that problem, and cannot start', () => {
    const at = 'servers/a';
    const cases: [object, string[]][] = [
      [{ commnad: 'node' }, [`unknownKey ${at}/commnad commnad !`]],
      [{ cmd: 'node', args: [] }, [`unknownKey ${at}/cmd cmd !`]],
      [{ type: 'http', ulr: 'http://x' }, [`unknownKey ${at}/ulr ulr !`]],
      [{ command: 'x', commnad: 'node' }, [`unknownKey ${at}/commnad commnad`]],
      [{ name: 'node' }, [`unknownKey ${at}/name name`, `missingCommand ${at} !`]],
    ];
    assertEach(
      cases,
      ([entry]) => problemsOf(entry),
      cases.map(([, problems]) => problems),
    );
  });

  it('can name the era of its server, under a key of our own', () => {
    const eraOf = (own: object, entry: object = { command: 'x' }) =>
      only(parseEntry({ ...entry, toolgate: own })).transport.era;
    assert.equal(eraOf({ era: 'stateful' }), 'stateful');
    assert.equal(eraOf({ era: 'stateless' }, { url: 'http://x' }), 'stateless');
    assert.equal(eraOf({ era: '2025-03-26' }), '2025-03-26');
    assert.equal(eraOf({ era: '2026-07-28' }), 'stateless');
    assert.equal(eraOf({ era: 'auto' }), undefined);
    const eras = pinnableEras.join(' | ');
    assert.equal(eraOf({}), undefined);
    assert.deepEqual(
      [{ era: 'old' }, { Era: 'stateful' }, { era: null }].map((toolgate) =>
        problemsOf({ command: 'x', toolgate }),
      ),
      [
        [`wrongType servers/a/toolgate/era ${eras} !`],
        ['unknownKey servers/a/toolgate/Era toolgate.Era'],
        [`wrongType servers/a/toolgate/era ${eras} !`],
      ],
    );
    assert.deepEqual(problemsOf({ command: 'x', toolgate: 'stateful' }), [
      'wrongType servers/a/toolgate object !',
    ]);
  });

  it('that cannot start is still listed, so that the user sees why', () => {
    assertEach(parseEntry({ args: [] }).servers, (server) => server.id, ['a']);
  });

  it('works with unknown keys, which are marked', () => {
    assert.deepEqual(problemsOf({ command: 'x', disabled: true, url: 'http://x', version: '1' }), [
      'unknownKey servers/a/disabled disabled',
      'unknownKey servers/a/url url',
    ]);
  });

  it('warns of literal secrets, and not of flags and counts', () => {
    const env = { API_TOKEN: 'abcd', MAX_TOKENS: '4096', REQUIRE_AUTH: 'true', DB_PWD: '4096' };
    assert.deepEqual(problemsOf({ command: 'x', env }), [
      'literalSecret servers/a/env/API_TOKEN API_TOKEN',
      'literalSecret servers/a/env/DB_PWD DB_PWD',
    ]);
  });

  it('that requires a sandbox does not start without one', () => {
    assert.deepEqual(problemsOf({ command: 'x', sandboxEnabled: true }), [
      'unsupportedKey servers/a/sandboxEnabled sandboxEnabled !',
    ]);
    assert.deepEqual(problemsOf({ command: 'x', sandboxEnabled: false }), []);
  });

  it('runs in its folder, or in the home folder, unless it has a cwd', () => {
    assert.deepEqual(
      [
        cwd({ command: 'x' }, inApp),
        cwd({ command: 'x' }, inNoFolder),
        cwd({ command: 'x', cwd: '~/there' }, inApp),
        cwd({ command: 'x', cwd: '${workspaceFolder:lib}' }, inApp),
        cwd({ command: 'x', cwd: '../up' }, inApp),
      ],
      [
        app.path,
        inApp.userHome,
        path.join(inApp.userHome, 'there'),
        lib.path,
        path.resolve('/work/up'),
      ],
    );
  });

  it('reads variables from its envFile, which env overrides', () => {
    const parsed = parseEntry({
      command: 'x',
      env: { BOTH: 'env', GONE: null },
      envFile: '${workspaceFolder}/.env',
    });
    assert.deepEqual(parsed.problems, []);
    const { transport } = only(parsed);
    assert.deepEqual(transport.kind === 'stdio' && transport.env, {
      FROM_FILE: '1',
      BOTH: 'env',
      GONE: null,
    });
  });

  it('supports comments, quotes and line breaks in an envFile', () => {
    const text = '#A=1\nexport B="it\'s # b" # c\nC=\'x\' y\r\nD="one\ntwo"\nE: 5\nF=\nG="\\"q\\""';
    const context = { ...inApp, readFile: () => text };
    const parsed = parseMcpJson(
      JSON.stringify({ servers: { a: { command: 'x', envFile: 'any' } } }),
      file,
      context,
    );
    const { transport } = only(parsed);
    assert.deepEqual(transport.kind === 'stdio' && transport.env, {
      B: "it's # b",
      C: "'x' y",
      D: 'one\ntwo',
      E: '5',
      F: '',
      G: '\\"q\\"',
    });
  });

  for (const part of ['\n', '\r\n', 'A="\n', 'A=`x\n', 'export ', 'A: \n', '\\"', ' ', '\t\n']) {
    it(`reads an envFile of ${JSON.stringify(part)} a hundred thousand times quickly`, () => {
      const context = { ...inApp, readFile: () => part.repeat(100_000) };
      parseMcpJson('{"servers":{"a":{"command":"x","envFile":"any"}}}', file, context);
      // Where every empty line is gone through again it takes a minute, and the test may not.
    });
  }

  it('accepts common globs for dev.watch, but none that could run forever', () => {
    const usual = [
      'src/**',
      '**/*.ts',
      '**/*.{ts,tsx,js,mjs,json}',
      '{src,lib}/**/*.{ts,js}',
      'packages/*/src/**/*.test.?s',
      'dist/server.js',
      'a/**/b/**/*-[a-z]*.py',
    ];
    const runaway = [
      '*a'.repeat(12) + '*b',
      '**/'.repeat(30) + 'x',
      '{,a}'.repeat(30) + 'b',
      '{a,{b,{c,*}}}',
      `{${'a,'.repeat(100)}b}`,
      'a'.repeat(300),
      `${'*'.repeat(40)}b`,
      'x/*/*/*/*/*/*/*/*/*/*',
    ];
    const parsed = parseEntry({ command: 'x', dev: { watch: [...usual, ...runaway] } });
    assert.deepEqual(only(parsed).watch, usual);
    const refused = problemsOf({ command: 'x', dev: { watch: runaway } });
    assert.ok(refused.length > 0 && refused.every((each) => each.includes('dev/watch')));
    assert.equal(only(parseEntry({ command: 'x', dev: { watch: runaway[0] } })).watch, undefined);
  });

  it('with an unreadable envFile cannot start', () => {
    assert.deepEqual(problemsOf({ command: 'x', envFile: 'none' }), [
      'unreadable servers/a/envFile no such file: none !',
    ]);
  });
});
