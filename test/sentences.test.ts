import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Text = string | { readonly message: string };

const root = path.resolve(__dirname, '..');

function textsOf(file: string): Map<string, string> {
  const all = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Record<string, Text>;
  return new Map(
    Object.entries(all).map(([key, text]) => [key, typeof text === 'string' ? text : text.message]),
  );
}

const texts = [...textsOf('l10n/bundle.l10n.json').values()];
const contributed = textsOf('package.nls.json');
const all = [...texts, ...contributed.values()];

/** A toast, a row and a dialog show about this many characters at a glance. */
const glanceLength = 90;
/** Texts that list facts may be longer, but only the listed ones are longer than this. */
const greatestLength = 125;

/** A text or comment that begins with a subordinate clause, and has no main clause after it. */
const clauses: readonly RegExp[] = [
  /^(?:What|Whether|Who|Whom|Whose|Of|By) (?!.*\?$)/,
  /^(?:Where|As|If|When|That) (?!.*[,?])/,
];
const allowedClauses = new Set(['As declared by the server']);

/** Each retired word, with the word that replaces it. */
const retired: readonly (readonly [RegExp, string])[] = [
  [/\bnobody\b|\bwhoever\b/i, 'say what happens'],
  [/\bthe person\b/i, 'the user, or you'],
  [/\bany more\b/i, 'no longer'],
  [/\ball the same\b/i, 'anyway'],
  [/\bby itself\b/i, 'automatically'],
  [/\bof which\b|\bin which\b.*\?$/i, 'two sentences'],
  [/\bstands?\b/i, 'is'],
  [/\btake[sn]? away\b|\btaken? out\b/i, 'remove, unset'],
  [/\bgo(?:es)? on\b/i, 'continue'],
  [/\bcan be told\b|\bcannot be told\b/i, 'unknown'],
  [/\bso (?:many|much) (?:letters|characters)\b/i, 'that many'],
  [/\bhas you\b/i, 'name the action'],
  [/\blooked at\b/i, 'open, examined'],
  [/\bunfold/i, 'expand'],
  [/\bpick\b/i, 'choose, select'],
  [/\bpress (?!Enter|Escape|was)/i, 'select, click'],
  [/\b(?:a|an|the|this|that|its) way to\b/i, 'name it'],
  [/\bcalls? asks? you\b/i, 'you are asked'],
];

/** Retired words of the texts that documents do without as well. */
const retiredInDocuments: readonly (readonly [RegExp, string])[] = [
  ...retired.slice(0, 5),
  [/\bstands?\b/i, 'is'],
  [/\btake[sn]? away\b|\btaken? out\b/i, 'remove, unset'],
  [/\bgo(?:es)? on\b/i, 'continue'],
  [/\bcalls? asks? you\b/i, 'you are asked'],
];

/** Retired words of the titles of tests, which read as the title of the suite and then of the test. */
const retiredInTitles: readonly (readonly [RegExp, string])[] = [
  ...retired.slice(0, 4),
  [/\bstands?\b/i, 'is'],
  [/\bgo(?:es)? on\b/i, 'continue'],
  [/\bbrought\b/i, 'returned'],
  [/\blooked at\b/i, 'opened, checked'],
  [/^(?:What|Whether|Who|Whatever) /, 'a noun first'],
];

/** Other words for what the glossary and VS Code call by one term. */
const synonyms: readonly (readonly [RegExp, string])[] = [
  [/(?<!email |IP |https )\baddress/i, 'URL'],
  [/\be-mail\b/i, 'email'],
  [/\bclient (?:id|Id)\b/, 'client ID'],
  [/\brights\b/i, 'scopes, permissions'],
  [/\bwhole number/i, 'integer'],
  [/\bcolour/i, 'color'],
  [/\bstore of secrets\b|\bsecret store\b/i, 'secret storage'],
  [/\bvariables? of (?:its|the) environment\b/i, 'environment variable'],
  [/\bsign-in needed\b/i, 'sign-in required'],
  [/\bcut off agents\b/i, 'disconnect agents'],
];

/** Words of a title that begin with a small letter, unless they are the first or the last. */
const smallWords = /^(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with)$/;

/** Nouns that are counted in texts. */
const counted =
  /^\{0\} (bytes|lines|calls|tools|servers|agents|files|rows|tasks|questions|permissions|entries|changes|messages)\b(.*)$/;

function offending(found: readonly string[], words: readonly (readonly [RegExp, string])[]) {
  return found.flatMap((text) => {
    const hit = words.find(([pattern]) => pattern.test(text));
    return hit === undefined ? [] : [`${text} (${hit[1]})`];
  });
}

function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.replace(/s$/, '');
}

/** The comments of a file, each as one line. */
function commentsOf(source: string): string[] {
  const found = source.matchAll(/\/\*\*?([^]*?)\*\/|((?:^[ \t]*\/\/.*\n)+)/gm);
  return [...found].map(([, block, lines]) =>
    (block ?? lines ?? '')
      .replaceAll(/^\s*(?:\*|\/\/) ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

describe('The texts on screen', () => {
  it('are short, except for a few that list facts', () => {
    const long = texts.filter((text) => text.length > glanceLength);
    assert.ok(long.length * 30 < texts.length, `${long.length} of ${texts.length} are long`);
    const beginnings = texts
      .filter((text) => text.length > greatestLength)
      .map((text) => text.split(' ').slice(0, 4).join(' '));
    assert.deepEqual(beginnings, [
      'Arguments of the call.',
      'File changes restarted server',
      'The file now uses',
      'Toolgate first tried “server/discover”',
    ]);
  });

  it('have a main clause', () => {
    const without = all.filter(
      (text) => !allowedClauses.has(text) && clauses.some((clause) => clause.test(text)),
    );
    assert.deepEqual(without, []);
  });

  it('use no retired words', () => {
    assert.deepEqual(offending(all, retired), []);
  });

  it('use one term for one thing', () => {
    assert.deepEqual(offending(all, synonyms), []);
  });

  it('have a singular beside the plural', () => {
    const known = new Set(texts);
    const alone = texts.filter((text) => {
      const [, noun, rest] = counted.exec(text) ?? [];
      if (noun === undefined) return false;
      const begins = `1 ${singular(noun)}`;
      if (rest === '') return !known.has(begins);
      return !texts.some((one) => one.startsWith(`${begins} `));
    });
    assert.deepEqual(alone, []);
  });

  it('end with a full stop if they have two sentences', () => {
    const open = texts.filter((text) => /[a-z”]\. [A-Z]/.test(text) && /[a-z]$/.test(text));
    assert.deepEqual(open, []);
  });

  it('are in title case as commands, as in VS Code', () => {
    const titles = [...contributed].filter(([key]) => key.startsWith('command.'));
    assert.ok(titles.length > 100);
    const wrong = titles.filter(([, title]) =>
      title.split(' ').some((word, index, { length }) => {
        const isInside = index > 0 && index < length - 1;
        return isInside && smallWords.test(word) ? false : !/^[A-Z]/.test(word);
      }),
    );
    assert.deepEqual(wrong, []);
  });
});

describe('The documents', () => {
  it('use no retired words', () => {
    const documents = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join('docs', name));
    documents.push('README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md');
    assert.ok(documents.length > 40, `only ${documents.length} documents were found`);
    const lines = documents.flatMap((document) =>
      readFileSync(path.join(root, document), 'utf8')
        .replaceAll(/^( *)```[^\n]*\n[^]*?^\1```$/gm, '')
        .split('\n')
        .map((line) => `${document}: ${line.replaceAll(/`[^`\n]+`/g, 'code').trim()}`),
    );
    assert.deepEqual(offending(lines, retiredInDocuments), []);
  });
});

describe('The titles of tests', () => {
  it('use no retired words', () => {
    const folder = path.join(root, 'test');
    const titles = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .flatMap((file) => {
        const source = readFileSync(path.join(folder, file), 'utf8');
        const found = source.matchAll(/\b(?:describe|it|fuzz|reached)\(\s*(['"`])(.*?)\1,/g);
        return [...found].map(([, , title = '']) => title);
      });
    assert.ok(titles.length > 3000, `only ${titles.length} titles were found`);
    assert.deepEqual(offending(titles, retiredInTitles), []);
  });
});

describe('The comments of the code', () => {
  it('have a main clause', () => {
    const folder = path.join(root, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const comments = files.flatMap((file) =>
      commentsOf(readFileSync(path.join(folder, file), 'utf8')).map(
        (comment) => `${file}: ${comment.slice(0, 100)}`,
      ),
    );
    assert.ok(comments.length > 1000);
    const without = comments.filter((comment) => {
      const [first = ''] = comment.replace(/^\S+: /, '').split(/(?<=[.?!]) /);
      return clauses.some((clause) => clause.test(first));
    });
    assert.deepEqual(without, []);
  });
});
