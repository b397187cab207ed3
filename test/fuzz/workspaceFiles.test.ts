import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readOutline } from '../../src/core/callFiles/runbook';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import {
  escapeVariables,
  fillVariables,
  parseTemplate,
} from '../../src/core/callFiles/callFileVariables';
import { parseLockFile } from '../../src/host/consent/pins/lockFile';
import { isFingerprint } from '../../src/host/consent/facts/fingerprints';
import { changedText, lockServerChange } from '../../src/host/consent/pins/lockFileEdits';
import { headerLine, parseHeader, parseLine } from '../../src/host/consent/pins/pinFileFormat';
import { fuzz } from './fuzzing';
import { mutatedText } from './mutations';

const hash = (digit: string): string => digit.repeat(64);
const callFiles = [
  '{ "server": "a", "tool": "b", "arguments": { "x": "${input:y}", "z": [1.50, null] } }',
  '// c\n{ "inputs": { "y": { "password": true } }, "calls": [{ "server": "a", "tool": "b", "expect": { "isError": false, "values": { "/a/0": 1 } }, "timeoutMs": 5000 }, { "server": "a", "tool": "${env:X}" }] }',
  '{ "server": "a", "tool": "b", "arguments": { "a": "$${x}", "b": "${file}${selectedText}", }, }',
];
const lockFiles = [
  `{ "version": 1, "servers": { "a": { "tools": { "b": "sha256:${hash('a')}", "c": "sha256:${hash('b')}" } } } }`,
  `// c\n{\n  "version": 1,\n  "servers": {\n    "a": { "tools": {}, },\n    "b": { "tools": { "x": "sha256:${hash('c')}" } }\n  }\n}\n`,
  '{ "version": 1, "servers": { "a": { "tools": { "b": { "title": "t", "description": "d", "inputSchema": { "type": "object", /* c */ "default": 1.50 }, "annotations": { "readOnlyHint": true } } } } } }',
];

describe('Any file of the workspace', () => {
  fuzz('that is a call file is read or marked', 8, mutatedText(callFiles), (text) => {
    const { file, problems } = readCallFile(text);
    assert.ok(file !== undefined || problems.length > 0);
    for (const { offset, length } of problems) {
      assert.ok(offset >= 0 && length >= 0 && offset + length <= text.length);
    }
    readOutline(text);
  });

  fuzz(
    'with variables equals its parts',
    4,
    mutatedText(['a ${env:B} c ${input:d}', '$${x}${file}', '${']),
    (text) => {
      const { pieces } = parseTemplate(text);
      assert.ok(pieces.length <= text.length + 1);
      const escaped = escapeVariables({ text });
      const filled = fillVariables(escaped, () => assert.fail('a variable is left'));
      assert.deepEqual(filled, { text });
    },
  );

  fuzz('that is a lock file is read or marked', 6, mutatedText(lockFiles), (text) => {
    const { problems, servers } = parseLockFile(text);
    for (const { place } of problems) {
      assert.ok(place.offset >= 0 && place.offset + place.length <= text.length);
    }
    for (const { tools } of servers.values()) {
      for (const { fingerprint } of tools.values()) {
        assert.ok(fingerprint === undefined || /^[0-9a-f]{64}$/.test(fingerprint));
      }
    }
  });

  const name = fc.oneof(
    fc.constantFrom('a', 'b', '__proto__', '', '"'),
    fc.string({ maxLength: 5 }),
  );
  fuzz(
    'that is a lock file contains the new content after a change',
    3,
    fc.tuple(mutatedText(lockFiles), name, name),
    ([text, server, tool]) => {
      const before = [...parseLockFile(text).servers.values()];
      const all = before.flatMap(({ tools }) => [...tools.values()]);
      assert.ok(all.every(({ fingerprint: each }) => each === undefined || isFingerprint(each)));
      const change = lockServerChange(text, server, new Map([[tool, hash('d')]]));
      if (change === undefined) return;
      const changed = changedText(text, change);
      const { servers, isUnreadable } = parseLockFile(changed);
      assert.ok(!isUnreadable, changed);
      assert.deepEqual(
        [...(servers.get(server)?.tools ?? [])].map(([each, { fingerprint }]) => [
          each,
          fingerprint,
        ]),
        [[tool, hash('d')]],
      );
    },
  );

  const pinLines = [
    headerLine({ id: 'x', server: 'y' }).trimEnd(),
    `["a","${hash('a')}",1,2]\t{"name":"a"}`,
    '["a"]',
  ];
  fuzz('that is a line of pins is one or none', 3, mutatedText(pinLines), (line) => {
    const header = parseHeader(line);
    if (typeof header !== 'string')
      assert.deepEqual(parseHeader(headerLine(header).trimEnd()), header);
    const change = parseLine(Buffer.from(line), 0);
    if (change !== undefined) assert.equal(typeof change.name, 'string');
  });
});
