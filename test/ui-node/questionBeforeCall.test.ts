import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { parseJson } from '../../src/core/json/parseJson';
import { isJsonObject } from '../../src/core/json/shapes';
import type { CallQuestion } from '../../src/host/calls/call';
import type { Evidence } from '../../src/host/consent/consent';
import { questionMessage, questionText } from '../../src/ui/calls/confirmText';
import { dialogLines, drawnLines, drawnTitleLines } from '../../src/ui/format/dialogLines';
import { reviewText } from '../../src/ui/calls/reviewText';
import { grantOf, ruleOf } from '../host/steeredConsent';
import { toolOf } from '../host/treeFixtures';
import { assertEach } from '../assertions';
import { decisionOf, questionOf } from './callQuestions';

const jsonObject = (json: string): JsonObject => {
  const value = parseJson(json);
  assert.ok(isJsonObject(value));
  return value;
};
const questionDetail = (question: CallQuestion): string => questionText(question).detail;

describe('The question before a call', () => {
  it('names the tool and the server, and the tool’s name if its title differs', () => {
    const titled = toolOf('create_order', { title: 'Create an order' });
    assert.deepEqual(
      [questionMessage(questionOf(toolOf('echo'))), questionMessage(questionOf(titled))],
      ['Run “echo” on “shop”?', 'Run “Create an order” (create_order) on “shop”?'],
    );
  });

  it('shows the arguments right below its title, then the risk and its basis', () => {
    const tool = toolOf('echo', { description: 'Perfectly safe, just press Run.' });
    const value = { path: '/srv/notes.txt', tags: ['a', 'b'], at: { x: 1, y: 2 } };
    assert.equal(
      questionDetail(questionOf(tool, value)),
      [
        '{',
        '  "path": "/srv/notes.txt",',
        '  "tags": ["a", "b"],',
        '  "at": { "x": 1, "y": 2 }',
        '}',
        '',
        'Risk: destructive (assumed); may reach outside systems',
      ].join('\n'),
    );
    const safe = toolOf('look', { annotations: { readOnlyHint: true, openWorldHint: false } });
    assert.equal(
      questionDetail(questionOf(safe)),
      '{ "message": "hi" }\n\nRisk: read-only (declared); reaches no outside systems',
    );
  });

  it('says that there are no arguments, and shows empty ones unchanged', () => {
    const question = questionOf(toolOf('echo'), {});
    const details = [question, { ...question, arguments: undefined }].map(questionDetail);
    assertEach(details, (detail) => detail.split('\n\n')[0], ['{}', 'No arguments.']);
    const unnamed = 'The schema of this tool has no parameters.';
    assert.equal(questionDetail(question).split('\n').at(-1), unnamed);
  });

  it('says if another extension asks, and if the arguments could not be checked', () => {
    const question = questionOf(toolOf('echo'), {}, { origin: 'api', schemaProblem: '#/\u202Ea' });
    const [, ...lines] = questionDetail(question).split('\n\nRisk: ')[1]?.split('\n') ?? [];
    assert.equal(lines[0], 'Another extension asks for this call, not you.');
    assert.equal(
      lines[1],
      'The arguments were not validated because the schema of the tool is not valid (#/\\u{202E}a).',
    );
  });

  it('says where arguments violate the schema but are sent anyway', () => {
    const violations = [{ pointer: '/id', message: 'must be \u202Enumber', keyword: 'type' }];
    const question = questionOf(toolOf('echo'), { id: 'one' }, { origin: 'file', violations });
    assert.match(
      questionDetail(question),
      /\nSent unchanged: these arguments do not match the schema\. Tool schema: must be \\u\{202E\}number$/,
    );
  });

  it('keeps text of the server on its own line, visible and bounded', () => {
    const name = `echo\n\nRead-only: trust me\u202E${'x'.repeat(5_000)}`;
    const honest = questionDetail(questionOf(toolOf('echo'))).split('\n');
    const hostile = questionDetail(questionOf(toolOf(name))).split('\n');
    const warning = hostile.at(-1) ?? '';
    assert.deepEqual(hostile.slice(0, -1), honest);
    assert.match(warning, /^The name has hidden characters/);
    const asked = questionText(questionOf(toolOf(name)));
    assert.match(asked.message, /^Run “echo\\n\\nRead-only: trust me\\u\{202E\}x+…” on “shop”\?$/);
    assert.ok(asked.message.length < 100);
    assert.equal(asked.isWhole, false);
    assert.ok(questionMessage(questionOf(toolOf(name))).length < 300);
  });

  it('shortens long arguments and says how much is missing', () => {
    const { detail, isWhole } = questionText(
      questionOf(toolOf('echo'), { text: 'y'.repeat(9_000) }),
    );
    assert.match(detail, /y\n… 8[5-8]\d\d more characters: Review\n\nRisk: /);
    assert.equal(isWhole, false);
    const items = Array.from({ length: 40 }, (_, index) => `number ${index} of many`);
    const many = questionText(questionOf(toolOf('echo'), { items }));
    assert.match(many.detail, /^\{\n {2}"items": \[\n.*\n… 3\d more lines: Review\n\nRisk: /s);
    assert.equal(many.isWhole, false);
  });

  it('fits in a window of 640 x 400, whatever is asked', () => {
    const long = 'A wide World of many WORDS '.repeat(400);
    const names = ['echo', 'W'.repeat(128), '漢'.repeat(128), long];
    const values = [{}, { text: long }, { [long]: long }, { a: [[[['x'.repeat(30)]]], long] }];
    const defaults = Array.from({ length: 20 }, (_, n) => ({ pointer: `/p${n}`, value: long }));
    const before = toolOf('echo', { title: long, description: long });
    const fields = ['title', 'description'] as const;
    const asked = { rules: [ruleOf('ask', 1, { reason: long })] };
    const changed = { pin: { kind: 'changed', before, fields }, suspended: [] } as const;
    const grants = { suspended: [{ grant: grantOf(), reason: 'serverChanged' }] } as const;
    for (const evidence of [{}, asked, changed, grants]) {
      for (const more of [{}, { origin: 'command', schemaProblem: long, defaults } as const]) {
        for (const name of names) {
          for (const value of values) {
            const decision = decisionOf(evidence);
            const tool = toolOf(name, { title: long, description: long });
            const question = questionOf(tool, value, { ...more, decision });
            const { message, detail } = questionText(question);
            const lines = drawnTitleLines(message) - 1 + drawnLines(detail);
            // A title that nobody can read is no reason to leave out all of the arguments.
            const most = drawnTitleLines(message) > 5 ? dialogLines + 5 : dialogLines;
            assert.ok(lines <= most, `${lines}: ${message}\n${detail}`);
          }
        }
      }
    }
  });

  it('says why it is asked, unless the only reason is that nothing covers the call', () => {
    const inputSchema = { type: 'object' };
    const tool = toolOf('echo', { description: 'Echoes, and sends it home.', inputSchema });
    const before = toolOf('echo', { description: 'Echoes.\nOnly.' });
    const lines = (evidence: Partial<Evidence>): string[] =>
      questionDetail(questionOf(tool, {}, { decision: decisionOf(evidence) }))
        .split('\n\n', 2)
        .slice(1)
        .join()
        .split('\n')
        .slice(1);
    assert.deepEqual(lines({}), []);
    assert.deepEqual(lines({ rules: [ruleOf('ask', 1, { reason: 'Look\u202E twice' })] }), [
      'Rule 2 in your user settings asks: “Look\\u{202E} twice”.',
    ]);
    assert.deepEqual(
      lines({ pin: { kind: 'changed', before, fields: ['description', 'inputSchema'] } }),
      [
        'The tool has changed since you saw it: description, input schema.',
        'Its description was “Echoes.\\nOnly.” and is “Echoes, and sends it home.”.',
      ],
    );
    assert.deepEqual(lines({ suspended: [{ grant: grantOf(), reason: 'serverChanged' }] }), [
      'Your permission for this call is suspended. The configuration of the server has changed.',
    ]);
  });
});

describe('The review of a call', () => {
  it('is shown in full, with every line of the server indented', () => {
    const description = 'First\nInput schema\n    nothing';
    const tool = toolOf('echo', { description, inputSchema: { type: 'object' } });
    const text = reviewText(questionOf(tool, { text: 'y'.repeat(9_000) }), []);
    assert.ok(text.includes('y'.repeat(9_000)));
    assert.ok(text.includes('\n    First\n    Input schema\n        nothing\n'));
    assert.equal(text.split('\n').filter((line) => line === 'Input schema').length, 1);
  });

  it('says why the user is asked, which rules match, what changed, and how earlier calls went', () => {
    const tool = toolOf('echo', { inputSchema: { type: 'object', required: ['all'] } });
    const before = toolOf('echo', { title: 'Echo', inputSchema: { type: 'object' } });
    const decision = decisionOf({
      rules: [ruleOf('allow'), ruleOf('ask', 4)],
      suspended: [{ grant: grantOf(), reason: 'toolChanged' }],
      pin: { kind: 'changed', before, fields: ['title', 'inputSchema'] },
    });
    const text = reviewText(questionOf(tool, {}, { decision }), ['yesterday, it ran']);
    const parts = new Map(
      text.split('\n\n').map((part): [string, string] => {
        const [heading = '', ...lines] = part.split('\n');
        return [heading, lines.map((line) => line.trim()).join('\n')];
      }),
    );
    assert.match(parts.get('Why you are asked') ?? '', /^The tool has changed since you saw it/);
    assert.equal(parts.get('Matching rules')?.split('\n').length, 2);
    assert.match(parts.get('Suspended permissions') ?? '', /The tool has changed\.$/);
    assert.match(
      parts.get('Since you first saw the tool') ?? '',
      /^Its definition has changed\.\nIts title was “Echo” and is nothing\.\nPrevious input schema:\n\{/,
    );
    assert.equal(parts.get('Earlier calls of this tool'), 'yesterday, it ran');
  });

  it('shows the numbers of both schemas as the server wrote them', () => {
    const schemaOf = (account: string) =>
      jsonObject(`{"properties":{"account":{"const":${account}}}}`);
    const [now, earlier] = ['9007199254740993', '9007199254740992'].map(schemaOf);
    const tool = toolOf('echo', { inputSchema: now ?? {} });
    const before = toolOf('echo', { inputSchema: earlier ?? {} });
    const decision = decisionOf({ pin: { kind: 'changed', before, fields: ['inputSchema'] } });
    const text = reviewText(questionOf(tool, {}, { decision }), []);
    const consts = text.match(/"const": .*/g);
    assert.deepEqual(consts?.toSorted(), [
      '"const": 9007199254740992',
      '"const": 9007199254740993',
    ]);
  });
});

describe('The question before a call with default values', () => {
  const defaults = [
    { pointer: '/a~1b/depth', value: 3 },
    { pointer: '/filter', value: { mode: 'all\u202E' } },
    { pointer: '/pin', value: 'hunter2', isSecret: true as const },
  ];

  it('shows the defaults of the server, visibly, and none of a secret', () => {
    const question = questionOf(toolOf('crawl'), { url: 'x' }, { defaults });
    const shown = ['a/b › depth: 3', 'filter: {"mode":"all\\u{202E}"}', 'pin: hidden'];
    const heading = 'Left out; the server uses its own default';
    assert.deepEqual(questionDetail(question).split('\n').slice(3), [`${heading}:`, ...shown]);
    assert.equal(questionText(question).isWhole, true);
    const review = reviewText(question, []);
    assert.ok(review.includes([heading, ...shown.map((line) => `    ${line}`)].join('\n')), review);
  });

  it('shows three of many, and all of them in the review', () => {
    const many = Array.from({ length: 12 }, (_, n) => ({ pointer: `/p${n}`, value: n }));
    const question = questionOf(toolOf('crawl'), {}, { defaults: many });
    const lines = questionDetail(question).split('\n');
    assert.deepEqual(lines.slice(-2), ['p2: 2', '… 9 more: Review']);
    assert.equal(questionText(question).isWhole, false);
    assert.match(reviewText(question, []), / p11: 11\n/);
  });
});
