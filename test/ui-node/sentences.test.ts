import assert from 'node:assert/strict';
import { McpError, type McpErrorCode } from '../../src/core/errors';
import type { ListProblem, ToolProblemCode } from '../../src/core/types';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import { hasLostAnswer } from '../../src/host/calls/timeLimits';
import { ruleProblemSentence } from '../../src/ui/consent/rules/formatRuleProblem';
import { errorAction } from '../../src/ui/format/errorActions';
import { errorSentence, formatError } from '../../src/ui/format/sentences';
import {
  configProblemSentence,
  configProblemTitle,
  garbageSentence,
  listProblemSentence,
  toolProblemSentence,
} from '../../src/ui/format/sentencesOfProblems';

// Keys, because a code that is missing here does not compile.
const errorCodes: Record<McpErrorCode, true> = {
  programNotFound: true,
  programNotExecutable: true,
  spawnFailed: true,
  exitedEarly: true,
  handshakeTimeout: true,
  handshakeFailed: true,
  unsupportedRevision: true,
  missingVariable: true,
  invalidConfiguration: true,
  connectionClosed: true,
  messageTooLarge: true,
  serverFlood: true,
  writeFailed: true,
  unreachable: true,
  tlsError: true,
  connectionLost: true,
  unauthorized: true,
  signInNeeded: true,
  signInFailed: true,
  scopeRefused: true,
  httpError: true,
  redirectRefused: true,
  unexpectedContentType: true,
  answerTooLarge: true,
  sessionLost: true,
  timeout: true,
  cancelled: true,
  serverError: true,
  invalidResult: true,
  unsupportedFeature: true,
  capabilityRequired: true,
  inputNotPossible: true,
  tooManyRounds: true,
  taskCancelled: true,
  taskLeft: true,
  taskLost: true,
  browserStepRequired: true,
  notRunning: true,
  untrustedWorkspace: true,
  serverDisabled: true,
  toolDisabled: true,
  notApproved: true,
  unknownServer: true,
  unknownTool: true,
  unusableTool: true,
  invalidArguments: true,
  toolChanged: true,
  journalUnavailable: true,
  agentPaused: true,
  notExposed: true,
  internal: true,
};
const configCodes: Record<ConfigProblem['code'], true> = {
  notJson: true,
  notAnObject: true,
  unknownKey: true,
  foreignKey: true,
  unsupportedKey: true,
  duplicateKey: true,
  wrongType: true,
  missingCommand: true,
  missingVariable: true,
  unsupportedVariable: true,
  unknownInput: true,
  incompleteSignIn: true,
  invalidUrl: true,
  shadowed: true,
  ownBridge: true,
  literalSecret: true,
  signInUnused: true,
  programMissing: true,
  programElsewhere: true,
  unreadable: true,
  isFolder: true,
  notAFile: true,
  noPermission: true,
  linkLoop: true,
  tooLarge: true,
};
const toolCodes: Record<ToolProblemCode, true> = {
  notAnObject: true,
  nameMissing: true,
  nameUnusual: true,
  nameDuplicate: true,
  inputSchemaMissing: true,
  inputSchemaNotObject: true,
  outputSchemaNotObject: true,
  schemaTooDeep: true,
  annotationIgnored: true,
  headerAnnotation: true,
  hiddenCharacters: true,
  fieldIgnored: true,
};
const keysOf = <K extends string>(record: Record<K, true>): K[] =>
  Object.keys(record).filter((key): key is K => key in record);

/** Whole sentences with nothing left to fill in. */
const wholeSentence = /^[A-Z“"].*[.!”]$/su;

function assertWhole(sentence: string): void {
  assert.match(sentence, wholeSentence);
  assert.doesNotMatch(sentence, /\{\d\}|undefined|“”|\(\)|  /);
}

describe('Messages of errors', () => {
  for (const code of keysOf(errorCodes)) {
    it(`say which server, why, and what to do: ${code}`, () => {
      const error = new McpError(code, {
        detail: 'the detail',
        exitCode: 3,
        limit: 10,
        rpcCode: -32603,
        httpStatus: 503,
      });
      const { title, sentence } = formatError('files', error);
      assertWhole(sentence);
      assert.match(sentence, /erver “files”/);
      assert.ok(title.length > 0 && title.length <= 30, title);
      assert.notEqual(sentence.split('. ').length, code === 'cancelled' ? 0 : 1);
    });
  }

  it('quote the last line of stderr, and the detail if it is not in the sentence', () => {
    const facts = { exitCode: 1, stderrTail: 'first\nError: no such key\r\n' };
    assert.equal(
      errorSentence('files', new McpError('exitedEarly', facts)),
      'Server “files” did not start: its program exited with exit code 1. ' +
        'See its log. stderr: “Error: no such key”',
    );
    assert.equal(
      errorSentence('files', new McpError('programNotFound', { detail: 'nope' })),
      'Server “files” did not start: “nope” was not found in any folder. ' +
        'Install it, or enter its full path.',
    );
    for (const [detail, said] of [
      [
        '${API_KEY}',
        /environment variable “\$\{API_KEY\}” is not set\. Set it and restart VS Code/,
      ],
      ['${input:key}', /variable “\$\{input:key\}” has no value\. Set or remove it\./],
    ] as const) {
      assert.match(errorSentence('files', new McpError('missingVariable', { detail })), said);
    }
    assert.match(
      errorSentence('files', new McpError('serverError', { rpcCode: 0, detail: 'full disk' })),
      /error 0\. .*Details: “full disk”$/,
    );
  });

  it('quote the data of a server’s error, but none that the user was asked about', () => {
    const data = { field: 'limit', allowed: [1, 2], note: 'x'.repeat(1_000) };
    const facts = { rpcCode: -32602, detail: 'bad' };
    const said = (rpcData: unknown, code: McpErrorCode = 'serverError') =>
      errorSentence('files', new McpError(code, { ...facts, rpcData }));
    assert.match(
      said(data),
      /Details: “bad” Data: “\{"field":"limit","allowed":\[1,2\],"note":"x{200,300}…”$/,
    );
    assert.match(said('one line'), /Data: “one line”$/);
    for (const none of [undefined, null]) assert.match(said(none), /Details: “bad”$/);
    assert.doesNotMatch(said(data, 'browserStepRequired'), /field/);
  });

  it('name the authorization server at which a sign-in failed', () => {
    const facts = {
      signInStep: 'token',
      detail: 'invalid_grant',
      issuer: 'https://login',
    } as const;
    assert.match(
      errorSentence('files', new McpError('signInFailed', facts)),
      /Details: “invalid_grant” Authorization server: “https:\/\/.*login”$/,
    );
  });

  it('do not blame a server for the end of a connection that the user may have stopped', () => {
    assert.equal(
      formatError('files', new McpError('connectionClosed')).sentence,
      'The connection to server “files” ended. See its log.',
    );
  });

  it('never say to try again if the outcome of a call is unknown', () => {
    const kinds = ['default', 'ceiling', 'call'] as const;
    const isLost = (code: McpErrorCode) => hasLostAnswer(new McpError(code, { httpStatus: 500 }));
    const all = keysOf(errorCodes)
      .filter(isLost)
      .flatMap((code) =>
        kinds.flatMap((kind) =>
          [404, 500].map((httpStatus) =>
            errorSentence(
              'files',
              new McpError(code, { outcomeUnknown: true, timeLimit: { kind }, httpStatus }),
            ),
          ),
        ),
      );
    for (const sentence of all) {
      assert.match(sentence, /Outcome unknown/);
      assert.doesNotMatch(sentence, /try again|run it again|run the call again/i);
    }
  });

  it('name the question and the handshake when both failed, and how to set the era', () => {
    const facts = { httpStatus: 503, detail: 'b', probeStatus: 500, probeDetail: 'a' };
    const error = new McpError('httpError', facts);
    const sentence = errorSentence('files', error);
    assertWhole(sentence);
    for (const part of [/503/, /“b”/, /“initialize”/, /“server\/discover”/, /500, “a”/]) {
      assert.match(sentence, part);
    }
    assert.ok(sentence.includes('"toolgate": { "era": "stateful" }'), sentence);
    assert.equal(errorAction(error)?.title, 'Open Configuration');
  });

  it('quote what a server printed instead of an answer, and suggest no era for it', () => {
    const error = new McpError('handshakeTimeout', {
      printed: 'Listening',
      probeDetail: 'timeout',
    });
    assert.equal(
      errorSentence('files', error),
      'Server “files” did not start: it printed “Listening” to stdout, which is not MCP, and did not answer in time. See its log.',
    );
  });

  it('quote a server that answers 401 and offers no sign-in, and suggest a header', () => {
    const facts = { httpStatus: 401, offersNoSignIn: true } as const;
    const said = new McpError('unauthorized', {
      ...facts,
      detail: 'Unauthorized: missing API key',
    });
    assert.equal(
      errorSentence('files', said),
      'Server “files” answered 401 Unauthorized (“Unauthorized: missing API key”) and offers no sign-in.',
    );
    assertWhole(errorSentence('files', new McpError('unauthorized', facts)));
    assert.equal(errorAction(said)?.title, 'Open Configuration');
    const anonymous = new McpError('unauthorized', { ...facts, wasAnonymous: true });
    assert.equal(errorAction(anonymous)?.title, 'Add Header…');
  });

  it('offer to enter a client ID if Toolgate could not register, and none was configured', () => {
    const error = new McpError('signInFailed', { signInStep: 'client', detail: 'not you' });
    assert.equal(errorAction(error)?.title, 'Use Another Client ID…');
    const transport = { kind: 'http', url: 'https://x.example', headers: {} } as const;
    const oauth = { clientId: 'mine' };
    assert.equal(errorAction(error, { transport: { ...transport, oauth } })?.title, 'Sign In');
    const other = new McpError('signInFailed', { signInStep: 'token' });
    assert.equal(errorAction(other, { transport })?.title, 'Sign In');
    const enterprise = { tokenEndpoint: 'https://idp/', clientId: 'a', idToken: '${input:t}' };
    const source = { kind: 'setting' } as const;
    const inputs = [{ kind: 'promptString', id: 't', isPassword: true, source }] as const;
    const byIdentity = { transport: { ...transport, oauth: { ...oauth, enterprise } }, inputs };
    assert.equal(errorAction(other, byIdentity)?.title, 'Enter Secret Again…');
  });

  it('say what to do if a request is too large for the server (R-157)', () => {
    for (const httpStatus of [413, 431]) {
      assert.equal(
        errorSentence('files', new McpError('httpError', { httpStatus })),
        `Server “files” refused the request because it is too large (HTTP ${httpStatus}). Send smaller arguments.`,
      );
    }
  });

  for (const [misframed, said] of [
    ['contentLength', ', without “Content-Length” headers.'],
    ['noNewline', ', but the newline is missing.'],
    ['severalLines', ', but a message has several lines.'],
  ] as const) {
    it(`say how messages have to be framed (${misframed})`, () => {
      const rule = `MCP over stdio has one message per line${said}`;
      const start = errorSentence('files', new McpError('handshakeTimeout', { misframed }));
      const unreadable = 'Server “files” did not start: its response could not be read.';
      assert.equal(start, `${unreadable} ${rule}`);
      const call = errorSentence('files', new McpError('timeout', { misframed }));
      assert.ok(call.endsWith(` ${rule}`), call);
    });
  }

  it('show text from outside as bounded plain text, without links', () => {
    const detail = `[press](command:x)\u202E\n${'x'.repeat(5_000)}`;
    const sentence = errorSentence('a\nb', new McpError('serverError', { detail }));
    assert.ok(sentence.length < 700);
    assert.match(sentence, /“a\\nb”/);
    assert.match(sentence, /\[press\] \(command:x\)\\u\{202E\}\\n/);
  });

  it('show no text from outside unescaped, whatever the code', () => {
    const hostile = `[press](command:x)\u202E\n${'x'.repeat(5_000)}`;
    for (const code of keysOf(errorCodes)) {
      for (const fact of ['detail', 'stderrTail', 'stdoutTail', 'printed', 'signal']) {
        const sentence = errorSentence('files', new McpError(code, { [fact]: hostile }));
        assert.doesNotMatch(sentence, /\]\(|\u202E|\n|x{400}/u, `${code} ${fact}`);
      }
      const sentence = errorSentence('files', new McpError(code, { searched: [hostile] }));
      assert.doesNotMatch(sentence, /\]\(|\u202E|\n|x{400}/u, code);
    }
  });

  it('offer a next step wherever there is one', () => {
    const without = keysOf(errorCodes).filter(
      (code) => errorAction(new McpError(code)) === undefined,
    );
    assert.deepEqual(without, [
      'cancelled',
      'unsupportedFeature',
      // The next step is the person's, outside; whoever calls offers to run the call again.
      'browserStepRequired',
      'unusableTool',
      'invalidArguments',
      'toolChanged',
      // Whoever hears it is an agent.
      'agentPaused',
    ]);
    assert.equal(
      errorAction(new McpError('untrustedWorkspace'))?.command,
      'workbench.trust.manage',
    );
  });
});

describe('Messages of problems', () => {
  for (const code of keysOf(configCodes)) {
    it(`say where in the configuration and what: ${code}`, () => {
      const problem: ConfigProblem = {
        code,
        source: { kind: 'setting' },
        server: 'files',
        path: ['files', 'args', 0],
        detail: 'HOME',
        fatal: true,
      };
      const sentence = configProblemSentence(problem);
      assertWhole(sentence);
      assert.match(sentence, /^Setting "toolgate\.servers", at files\.args\[0\]: /);
      assert.match(sentence, / Server “files” cannot start until this is corrected\.$/);
      assert.ok(configProblemTitle(problem).length <= 25);
      assertWhole(
        configProblemSentence({ code, source: problem.source, path: [], fatal: false }).replace(
          '“”',
          '“x”',
        ),
      );
    });
  }

  it('name the line of a file that is not JSON, and what is missing there', () => {
    const source = { kind: 'workspaceFile', path: '/a/mcp.json', folder: '/a' } as const;
    const [problem] = parseMcpJson('{\n  "servers": {}\n  "inputs": []\n}', source, {
      workspaceFolders: [],
      userHome: '/',
      env: {},
      readFile: () => '',
    }).problems;
    assert.ok(problem);
    assert.match(
      configProblemSentence(problem),
      /mcp\.json, line 3: This is not valid JSON\. Add a comma\.$/,
    );
  });

  it('suggest the right key, in files, settings and rules', () => {
    const source = { kind: 'workspaceFile', path: '/a/mcp.json', folder: '/a' } as const;
    const sentence = (path: string[], own: ConfigProblem['source'] = source): string =>
      configProblemSentence({ code: 'unknownKey', source: own, path, fatal: false });
    assert.match(sentence(['servers', 'a', 'commnad']), /“commnad”\. Did you mean “command”\?$/);
    assert.match(sentence(['a', 'cmd'], { kind: 'setting' }), /“cmd”\. Did you mean “command”\?$/);
    assert.match(sentence(['servers', 'a', 'colour']), /“colour”\. It is ignored\.$/);
    const ruleSentence = (path: (string | number)[]): string =>
      ruleProblemSentence({
        code: 'unknownKey',
        severity: 'error',
        scope: { scope: 'user' },
        path,
        detail: String(path.at(-1)),
      });
    assert.equal(ruleSentence([0, 'tol']), 'Unknown key “tol”. Did you mean “tool”?');
    const condition = ruleSentence([0, 'when', '/a', 'startWith']);
    assert.equal(condition, 'Unknown key “startWith”. Did you mean “startsWith”?');
    assert.equal(ruleSentence([0, 'colour']), 'Unknown key “colour”.');
  });

  for (const code of keysOf(toolCodes)) {
    it(`say what is unusual about a tool: ${code}`, () => {
      assertWhole(toolProblemSentence({ code, detail: 'idempotentHint' }));
    });
  }

  it('say why a list may be incomplete', () => {
    const problems: readonly ListProblem[] = [
      { code: 'repeatedCursor' },
      { code: 'repeatedEntries', count: 3 },
      { code: 'emptyPages', limit: 10 },
      { code: 'tooManyPages', limit: 5 },
      { code: 'tooManyTools', limit: 7 },
      { code: 'pageFailed', detail: 'timeout' },
    ];
    for (const problem of problems) {
      const sentence = listProblemSentence('files', problem);
      assertWhole(sentence);
      assert.match(sentence, /^Server “files” /);
    }
    assertWhole(garbageSentence('files', 2));
  });
});
