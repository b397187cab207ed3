import assert from 'node:assert/strict';
import { toParts } from '../../src/core/content/content';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import { pageTags, type PageNode } from '../../src/page/pageMessages';
import { AnswerContent, pageHead } from '../../src/ui/answerPage/answerContent';
import { markdownNodes, PartNodes, textNodes } from '../../src/ui/answerPage/markdownNodes';
import { parsePageMessage } from '../../src/ui/answerPage/parsePageMessage';
import type { StoredResult } from '../../src/ui/results/resultDocuments';

// What the page of an answer is sent, and what it may ask, without a window.

/** As much of a kept result as the page looks at. */
function kept(content: readonly ContentBlock[], facts: Partial<ToolResult> = {}): StoredResult {
  const result: ToolResult = { content, isError: false, ...facts };
  const parts = toParts(result, { title: 'water' });
  return {
    callId: 'one',
    parts,
    facts: {
      origin: { kind: 'call', toolTitle: 'Water', toolName: 'water' },
      serverLabel: 'garden',
      createdAt: 0,
      durationMs: 3,
      isError: result.isError,
      isExternal: false,
      violations: [],
      missingStructuredContent: false,
      arguments: { value: { litres: 2 } },
    },
  } as unknown as StoredResult;
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const ofMarkdown = async (markdown: string) => {
  const into = new PartNodes();
  const nodes = await markdownNodes(markdown, into, () => Promise.resolve());
  return { nodes, links: into.links };
};

/** Everything in the order in which it is read: tags and texts. */
function flat(nodes: readonly PageNode[]): (string | { tag: string })[] {
  return nodes.flatMap((node) =>
    typeof node === 'string' ? [node] : [{ tag: node.tag }, ...flat(node.children)],
  );
}
const textOf = (nodes: readonly PageNode[]): string =>
  flat(nodes)
    .filter((node) => typeof node === 'string')
    .join('');
const tagsOf = (nodes: readonly PageNode[]): string[] =>
  flat(nodes).flatMap((node) => (typeof node === 'string' ? [] : [node.tag]));

async function blocksOf(result: StoredResult, room = Number.MAX_SAFE_INTEGER) {
  const made = new AnswerContent(result);
  const drawn = [];
  for (let place = 0; place < made.count; place += 1) drawn.push(await made.draw(place, room));
  return drawn.flatMap((each) => (each === undefined ? [] : [each.block]));
}

describe('Markdown on the page of an answer', () => {
  it('becomes elements of a fixed list: headings, lists, tables, code and links', async () => {
    const { nodes, links } = await ofMarkdown(
      '# Bed\n\nA **b** *c* ~~d~~ `e` [plan](https://example.org/a)\n\n3. x\n4. y\n\n> q\n\n|a|b|\n|:-:|-:|\n|1|2|\n\n```js\nlet z;\n```\n\n---\n',
    );
    const expected = 'h3 p strong em s code link ol li li blockquote p';
    const table = 'table thead tr th th tbody tr td td pre hr';
    assert.deepEqual(tagsOf(nodes), `${expected} ${table}`.split(' '));
    assert.deepEqual(links, ['https://example.org/a']);
    const list = nodes.find((node) => typeof node !== 'string' && node.tag === 'ol');
    assert.equal(typeof list === 'object' && list.start, 3);
    assert.ok(tagsOf(nodes).every((tag) => pageTags.includes(tag)));
  });

  it('shows HTML, images and unsafe links as their source', async () => {
    const { nodes, links } = await ofMarkdown(
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> ![p](https://example.org/p.png) [a](javascript:alert(1)) [b](command:x) [c](vscode://x) [d](data:text/html,x)\n\n[e]: javascript:alert(1)\n[e]\n',
    );
    const shown = textOf(nodes);
    for (const source of [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '](javascript:',
      '](command:x)',
      '](vscode://x)',
      '](data:text/html,x)',
      '![p](https://example.org/p.png)',
    ])
      assert.ok(shown.includes(source), source);
    assert.deepEqual(links, []);
    assert.deepEqual([...new Set(tagsOf(nodes))], ['p', 'code']);
  });

  it('shows hidden and bidirectional characters, and keeps the URL of a link unchanged', async () => {
    const { nodes, links } = await ofMarkdown(
      'turned \u202Eback [x\u200By](https://example.org/%61?b=c&d)',
    );
    assert.match(textOf(nodes), /turned \\u\{202E\}back x\\u\{200B\}y/);
    assert.deepEqual(links, ['https://example.org/%61?b=c&d']);
  });

  it('is limited in nodes, links and depth', async () => {
    const many = await ofMarkdown('*a* '.repeat(20_000));
    assert.ok(flat(many.nodes).length < 45_000, String(flat(many.nodes).length));
    assert.ok((await ofMarkdown('[a](https://example.org) '.repeat(2_000))).links.length <= 500);
    const depth = (nodes: readonly PageNode[]): number =>
      1 +
      Math.max(0, ...nodes.map((node) => (typeof node === 'string' ? 0 : depth(node.children))));
    assert.ok(depth((await ofMarkdown('> '.repeat(5_000))).nodes) < 150);
  });
});

describe('Plain text on the page of an answer', () => {
  it('keeps its lines, and has links only at its URLs', async () => {
    const into = new PartNodes();
    const nodes = await textNodes('one\n<b>two</b>\nsee https://example.org/a.\nlast', into, () =>
      Promise.resolve(),
    );
    assert.equal(textOf(nodes), 'one\n<b>two</b>\nsee https://example.org/a.\nlast');
    assert.deepEqual(into.links, ['https://example.org/a']);
    assert.deepEqual(tagsOf(nodes), ['link']);
  });

  it('gives other tasks a turn within a line, however long it is', async () => {
    for (const line of ['https://example.org/a '.repeat(4_000), '\u202E'.repeat(90_000)]) {
      let turns = 0;
      const nodes = await textNodes(line, new PartNodes(), () => {
        turns += 1;
        return Promise.resolve();
      });
      assert.ok(turns > 10, `${turns} turns`);
      assert.equal(textOf(nodes).replaceAll('<U+202E>', '\u202E').length >= line.length, true);
    }
  });
});

describe('The blocks of a page', () => {
  it('are sent in small messages if they are large, and in order', async () => {
    const links = 'https://example.org/a '.repeat(4_000);
    const made = new AnswerContent(kept(Array.from({ length: 8 }, () => text(links))));
    const numbers: number[] = [];
    for (let from = 0; from < made.count; from = numbers.length) {
      const { drawn, chars } = await made.drawMessage(from, Number.MAX_SAFE_INTEGER);
      assert.ok(drawn.length > 0 && chars < 1_500_000, `${drawn.length} blocks, ${chars}`);
      numbers.push(...drawn.map(({ block }) => block.number));
    }
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual(await made.drawMessage(8, 1), { drawn: [], chars: 0 });
  });

  it('are sent by the fifty if they are small', async () => {
    const made = new AnswerContent(kept(Array.from({ length: 120 }, () => text('a'))));
    assert.equal((await made.drawMessage(0, 1_000)).drawn.length, 50);
  });
});

describe('A message of the page', () => {
  it('is one of a fixed list, with valid numbers', () => {
    assert.deepEqual(parsePageMessage({ type: 'ready', more: 1 }), { type: 'ready' });
    assert.deepEqual(
      parsePageMessage({
        type: 'partVerb',
        edition: 1,
        number: 2,
        verb: 'open',
        uri: 'file:///etc',
      }),
      { type: 'partVerb', edition: 1, number: 2, verb: 'open' },
    );
    assert.deepEqual(parsePageMessage({ type: 'link', edition: 1, number: 2, link: 0 }), {
      type: 'link',
      edition: 1,
      number: 2,
      link: 0,
    });
  });

  it('is ignored if it is anything else', () => {
    const wrong = [
      undefined,
      null,
      'ready',
      [],
      { type: 'command', command: 'workbench.action.quit' },
      { type: 'headVerb', verb: 'quit' },
      { type: 'headVerb', verb: '__proto__' },
      { type: 'partVerb', edition: 1, number: 1, verb: 'constructor' },
      { type: 'partVerb', edition: 1, number: '1', verb: 'open' },
      { type: 'link', edition: 1, number: 1, link: -1 },
      { type: 'link', edition: 1, number: 1, link: 0.5 },
      { type: 'link', edition: 1, number: 1, link: Number.POSITIVE_INFINITY },
      { type: 'bytes', edition: 1, number: 1 },
      { type: 'bytes', number: 1, offset: 0 },
      { type: 'blocks', edition: 1, from: 2 ** 60 },
    ];
    for (const message of wrong) assert.equal(parsePageMessage(message), undefined);
  });
});

describe('The page of an answer', () => {
  it('has parts in the server’s order, with duplicates of the answer folded, and error messages marked', async () => {
    const parts = await blocksOf(
      kept(
        [text('# A\n\n- b\n- c'), { type: 'resource_link', uri: 'garden://bench', name: 'bench' }],
        {
          structuredContent: { a: 1 },
          meta: { trace: 1 },
        },
      ),
    );
    const shown = parts.map(({ body, isFolded }) => [body.kind, isFolded]);
    assert.deepEqual(shown, [
      ['nodes', false],
      ['lines', false],
      ['nodes', false],
      ['nodes', true],
    ]);
    assert.deepEqual(
      parts[1]?.buttons.map(({ verb }) => verb),
      ['read'],
    );
    const [failed] = await blocksOf(kept([text('no such bed')], { isError: true }));
    assert.equal(failed?.isError, true);
  });

  it('recognizes images by their bytes alone, not SVG and HTML that claim to be PNG', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    );
    const of = (bytes: Buffer, mimeType: string): ContentBlock => ({
      type: 'image',
      data: bytes.toString('base64'),
      mimeType,
    });
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const blocks = await blocksOf(
      kept([of(svg, 'image/png'), of(svg, 'image/svg+xml'), of(png, 'text/html')]),
    );
    const kinds = blocks.map(({ body }) => ('mediaType' in body ? body.mediaType : body.kind));
    assert.deepEqual(kinds.slice(2), ['image/png']);
    assert.ok(!kinds.slice(0, 2).some((kind) => kind.startsWith('image/')), kinds.join());
  });

  it('has at most 10,000 parts and 1,000 images, and long texts up to a limit', async () => {
    const many = kept(Array.from({ length: 10_010 }, (_, index) => text(`part ${index}`)));
    assert.equal(new AnswerContent(many).count, 10_000);
    assert.match(pageHead(many, 10_000).problems.join(), /More parts in the same folder: 10/);
    const data = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
    const image: ContentBlock = { type: 'image', data, mimeType: 'image/png' };
    const pictures = await blocksOf(kept(Array.from({ length: 1_002 }, () => image)));
    assert.equal(pictures.filter(({ body }) => body.kind === 'image').length, 1_000);
    const [long] = await blocksOf(kept([text('word '.repeat(50_000))]));
    assert.ok(long?.body.kind === 'nodes' && textOf(long.body.nodes).length <= 100_000);
    assert.match(long.notes.join(), /beginning/);
    const [none] = await blocksOf(kept([text('word '.repeat(500))]), 10);
    assert.ok(none?.body.kind === 'nodes' && textOf(none.body.nodes).length <= 10);
  });

  it('lists what does not match the output schema in one problem', () => {
    const { facts, ...rest } = kept([text('a')]);
    const violations = ['/a', '/b'].map((pointer) => ({
      pointer,
      message: 'must be string',
      keyword: 'type',
    }));
    const { problems } = pageHead({ ...rest, facts: { ...facts, isOldForm: true, violations } }, 1);
    assert.equal(problems.length, 2);
    assert.match(
      problems[1] ?? '',
      /^⚠ The structured content does not match .*:\n {2}\/a: must be string\n {2}\/b: must be string$/,
    );
    assert.deepEqual(pageHead(kept([text('a')]), 1).problems, []);
  });

  it('shows tool, server, time and arguments in one line, and the actions', () => {
    const { summary, buttons } = pageHead(kept([text('a'), text('b')]), 2);
    assert.match(summary, /^Water · garden · .+ · 3 ms · \{"litres":2\}$/);
    const verbs = buttons.map(({ verb }) => verb);
    assert.deepEqual(verbs, ['runAgain', 'edit', 'save', 'compare', 'expect', 'text']);
  });
});
