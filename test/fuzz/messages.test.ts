import assert from 'node:assert/strict';
import { appNotes } from '../../src/core/content/content';
import { exactJson } from '../../src/core/json/layOutJson';
import * as fc from 'fast-check';
import { isMcpError, toMcpError } from '../../src/core/errors';
import { parseElicitation, parseRequiredElicitations } from '../../src/core/input/elicitation';
import { NotJson, parseJson } from '../../src/core/json/parseJson';
import { isJsonObject, isObject } from '../../src/core/json/shapes';
import { parseContentBlock } from '../../src/core/parse/parseContent';
import { parseIcons } from '../../src/core/parse/parsers';
import {
  parseProgress,
  parseCapabilities,
  parseImplementation,
  parseInitializeResult,
  parseListPage,
  parseReadResult,
  parseToolResult,
} from '../../src/core/parse/parseResults';
import { parseLogMessage } from '../../src/core/log';
import { parseCompletion } from '../../src/core/parse/promptsAndResources';
import { parseTool } from '../../src/core/parse/parseTool';
import { classifyIncoming } from '../../src/core/rpc/incoming';
import { ServerFloods } from '../../src/core/rpc/serverFloods';
import { traceText } from '../../src/core/rpc/traceText';
import { isInSkill, parseSkill } from '../../src/core/skills/skill';
import { readFrontmatter, verifySkillFile } from '../../src/core/skills/verifySkill';
import { fuzz } from './fuzzing';
import { mutatedText, mutatedValue } from './mutations';
import { examplesOf, messages } from './samples';

/** More than any text that is cut may have. */
const maxCutChars = 70_000;

const skillText =
  '---\nname: "a-b"\ndescription: >-\n  One\n  two\nlist: [x, {y: 1.0}]\n# no\nm:\n  - *a\n  - &a ~\n---\n# A';
const skillEntry = {
  uri: 'skill://a/b/SKILL.md',
  frontmatter: { name: 'b', description: 'About b', metadata: { version: 1 } },
  resources: ['SKILL.md', 'c/d.md'].map((name) => ({
    uri: `skill://a/b/${name}`,
    digest: `sha256:${'0'.repeat(64)}`,
    size: 1,
  })),
};

/** What it returns, or nothing where it refuses as it says that it does. */
function unlessInvalid<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isMcpError(error, 'invalidResult')) return undefined;
    throw error;
  }
}

describe('Any output of a server', () => {
  fuzz(
    'is JSON or reported as invalid',
    6,
    mutatedText(messages.map((message) => JSON.stringify(message))),
    (text) => {
      let expected: unknown;
      let isJson = true;
      try {
        expected = JSON.parse(text);
      } catch {
        isJson = false;
      }
      try {
        const value = parseJson(text);
        // Numbers may be as they were written.
        if (isJson) assert.equal(JSON.stringify(value), JSON.stringify(expected));
      } catch (error) {
        assert.ok(error instanceof NotJson && !isJson, String(error));
        assert.ok(error.excerpt.length < maxCutChars);
      }
    },
  );

  fuzz('is an answer, a request, a notification or garbage', 8, mutatedValue(messages), (value) => {
    const wrapped = [value, [value, value]];
    for (const given of wrapped) {
      classifyIncoming(given, {
        floods: new ServerFloods(),
        answer: (_, error) => {
          if (error !== undefined) assert.equal(toMcpError(error), error);
        },
        request: ({ method }) => assert.equal(typeof method, 'string'),
        notification: (method) => assert.equal(typeof method, 'string'),
        garbage: (json) => assert.ok(json.length < maxCutChars),
      });
    }
    assert.ok(traceText(value).length < maxCutChars);
  });

  const app = {
    csp: { connectDomains: ['https://a.example'], frameDomains: [] },
    permissions: { camera: {} },
    domain: 'a.example',
  };
  fuzz('requests for an app are shown in few lines', 2, mutatedValue([{ ui: app }]), (value) => {
    if (!isJsonObject(value)) return;
    const notes = appNotes({ uri: 'ui://a', _meta: value });
    assert.ok(notes.length > 0 && notes.length < 30);
    assert.ok(notes.every(({ detail = '' }) => detail.length < maxCutChars));
  });

  const results = mutatedValue(
    examplesOf(
      'CallToolResult',
      'DiscoverResult',
      'ListToolsResult',
      'ReadResourceResult',
      'CompleteResult',
    ),
  );
  fuzz('is a result of its kind, or an invalid one', 10, results, (value) => {
    const result = unlessInvalid(() => parseToolResult(value));
    for (const block of result?.content ?? []) assert.equal(typeof block.type, 'string');
    unlessInvalid(() => parseInitializeResult(value));
    for (const key of ['tools', 'resources', 'resourceTemplates'] as const) {
      const page = unlessInvalid(() => parseListPage(value, key));
      assert.ok(page === undefined || Array.isArray(page.items));
    }
    for (const { uri } of unlessInvalid(() => parseReadResult(value, 'x:y'))?.contents ?? []) {
      assert.equal(typeof uri, 'string');
    }
    const completion = unlessInvalid(() => parseCompletion(value));
    assert.ok((completion?.values ?? []).every((each) => typeof each === 'string'));
    parseCapabilities(value);
    assert.equal(typeof parseImplementation(value).name, 'string');
  });

  fuzz(
    'that should be a skill is one, or named as a fault',
    4,
    mutatedValue([skillEntry]),
    (value) => {
      const skill = parseSkill(value);
      if (typeof skill === 'string') return;
      const files = skill.files === 'dynamic' ? [] : skill.files;
      assert.ok(files.every((file) => isInSkill(file.uri, skill.uri)));
      const read = files.map(
        ({ uri }) => verifySkillFile([skill], uri, [{ uri, text: 'x' }])?.kind,
      );
      assert.ok(read.every((kind) => kind === 'size' || kind === 'digest'));
    },
  );

  fuzz('at the start of a SKILL.md is an object or none', 4, mutatedText([skillText]), (text) => {
    const read = readFrontmatter(text);
    assert.ok(read === undefined || isObject(read));
  });

  fuzz(
    'that should be a tool is one, with its problems',
    8,
    mutatedValue(examplesOf('Tool')),
    (value) => {
      const tool = parseTool(value);
      assert.equal(typeof tool.name, 'string');
      assert.equal(typeof tool.inputSchema, 'object');
      assert.ok(tool.callable || tool.problems.length > 0);
    },
  );

  const blocks = examplesOf(
    'TextContent',
    'ImageContent',
    'AudioContent',
    'ResourceLink',
    'EmbeddedResource',
  );
  fuzz('as content is a known block, or shown as received', 6, mutatedValue(blocks), (value) => {
    const block = parseContentBlock(value);
    if (block.type === 'unknown') assert.deepEqual(block.raw, value);
    assert.ok((parseIcons(value)?.length ?? 0) < 1_000);
  });

  const told = mutatedValue(
    examplesOf(
      'ProgressNotificationParams',
      'LoggingMessageNotificationParams',
      'ElicitRequestFormParams',
      'ElicitRequestURLParams',
    ),
  );
  fuzz('is reported in bounded text', 6, told, (value) => {
    const progress = parseProgress(value)?.progress.progress;
    assert.ok(progress === undefined || Number.isFinite(progress));
    assert.ok((parseLogMessage(value)?.text ?? '').length < maxCutChars);
    const request = parseElicitation(value);
    if (typeof request !== 'string' && request.mode === 'url') assert.ok(URL.canParse(request.url));
    parseRequiredElicitations({ elicitations: [value] });
  });

  fuzz('keeps its numbers', 1, fc.double(), (value) => {
    const text = JSON.stringify({ value });
    assert.equal(exactJson(parseJson(text)), text);
  });
});
