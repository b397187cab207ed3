import assert from 'node:assert/strict';
import { parseJson } from '../../src/core/json/parseJson';
import { riskOf } from '../../src/core/risk';
import type { PageBlock, PageNode } from '../../src/page/pageMessages';
import { pageTags } from '../../src/page/pageMessages';
import { parsePageMessage } from '../../src/ui/answerPage/parsePageMessage';
import { definitionPage } from '../../src/ui/definitions/definitionPage';
import type { DefinitionFacts } from '../../src/ui/definitions/definitionText';
import { entryOf, toolOf } from '../host/treeFixtures';
import { assertNone } from '../assertions';

// What the page of a definition is sent, without a window.

const inputSchema = {
  type: 'object',
  required: ['to'],
  properties: {
    seats: { type: 'integer', minimum: 1, maximum: 8, default: 2 },
    to: { type: 'string', description: 'See https://example.org/towns' },
  },
};
const book = toolOf('book', {
  title: 'Book a place',
  description: 'Books **once**, see [the plan](https://example.org/plan).',
  annotations: { readOnlyHint: true },
  inputSchema,
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
});

async function pageOf(more: Partial<DefinitionFacts> = {}) {
  const entry = entryOf('rail', book);
  const page = await definitionPage({
    entry,
    serverLabel: 'rail',
    pin: { kind: 'known' },
    calls: [],
    ...more,
  });
  const part = (title: string) => page.parts.find(({ block }) => block.title === title);
  return { ...page, verbs: page.head.buttons.map(({ verb }) => verb), part };
}

function flat(nodes: readonly PageNode[]): (string | { tag: string })[] {
  return nodes.flatMap((node) =>
    typeof node === 'string' ? [node] : [{ tag: node.tag }, ...flat(node.children)],
  );
}
const nodesOf = (block: PageBlock | undefined) =>
  flat(block?.body.kind === 'nodes' ? block.body.nodes : []);
const rowsOf = (block: PageBlock | undefined): string[] => {
  const rows: string[] = [];
  for (const node of nodesOf(block)) {
    if (typeof node !== 'string') {
      if (node.tag === 'tr') rows.push('');
      else if (node.tag === 'td' || node.tag === 'th') rows.push(`${rows.pop() ?? ''}|`);
    } else rows.push(`${rows.pop() ?? ''}${node}`);
  }
  return rows;
};

describe('The page of a definition', () => {
  it('has the call first, then what the row of the tool offers', async () => {
    const { verbs, head } = await pageOf();
    assert.deepEqual(verbs, ['call', 'setRisk', 'setForAgents', 'disable', 'copyName', 'text']);
    assert.equal(head.title, 'Book a place');
    assert.match(head.summary, /^book · rail · read-only$/);
    const entry = entryOf('rail', book);
    const of = async (more: Partial<DefinitionFacts>) => (await pageOf(more)).verbs.join(' ');
    assert.equal(
      await of({ pin: { kind: 'changed', before: book, fields: ['description'] } }),
      'call showChanges acceptChanges setRisk setForAgents disable copyName text',
    );
    assert.equal(await of({ listedAt: 0 }), 'call copyName text');
    assert.equal(await of({ entry: { ...entry, isDisabled: true } }), 'enable copyName text');
    const broken = { ...entry, tool: { ...book, callable: false } };
    assert.equal(await of({ entry: broken }), 'copyName text');
    const task = {
      ...entry,
      taskChoice: 'task',
      tool: { ...book, app: { resourceUri: 'ui://a' } },
    };
    assert.match(await of({ entry: task as typeof entry }), /^call openApp .* runDirectly /);
  });

  it('has parameters and output as tables with types, bounds and defaults, the required ones first', async () => {
    const { part } = await pageOf();
    assert.deepEqual(rowsOf(part('Parameters')?.block), [
      '|Name|Type|Required|Description|Default|Limits',
      '|to|string|yes|See https://example.org/towns||',
      '|seats|integer|||2|minimum 1, maximum 8',
    ]);
    assert.deepEqual(part('Parameters')?.links, ['https://example.org/towns']);
    // Empty columns are left out.
    assert.deepEqual(rowsOf(part('Output')?.block), ['|Name|Type', '|id|string']);
    assert.equal(part('Input schema')?.block.isFolded, true);
  });

  it('shows what the server declares beside the risk that the user has set', async () => {
    const { part } = await pageOf();
    assert.ok(rowsOf(part('Risk')?.block).includes('|readOnlyHint|yes (declared by the server)'));
    const risk = riskOf(book.annotations, { level: 'destructive' });
    const set = (await pageOf({ entry: { serverId: 'rail', tool: book, risk } })).part('Risk');
    const rows = rowsOf(set?.block);
    assert.ok(rows.includes('|readOnlyHint|no (set by you)|yes'), rows.join('\n'));
    assert.ok(
      rows.some((row) => /^\|destructiveHint\|yes \(set by you\)\|\(not declared\)$/.test(row)),
    );
  });

  it('draws only elements of the page’s list from a hostile definition, within limits', async () => {
    const bad =
      '<script>alert(1)</script>\n\n<img src=x> [run](command:quit) turned \u202Eback\n\n';
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `${bad}${index}`,
        { type: bad, description: bad.repeat(200) },
      ]),
    );
    const tool = toolOf(bad, {
      description: bad.repeat(5_000),
      inputSchema: { type: 'object', properties },
    });
    const { head, parts, part } = await pageOf({ entry: entryOf('rail', tool), serverLabel: bad });
    const all = parts.flatMap(({ block }) => nodesOf(block));
    const tags = all.flatMap((node) => (typeof node === 'string' ? [] : [node.tag]));
    assertNone(tags, (tag) => !pageTags.includes(tag));
    assert.deepEqual(
      parts.flatMap(({ links }) => links),
      [],
    );
    assert.doesNotMatch(JSON.stringify([head, parts]), /\u202E/);
    assert.ok(JSON.stringify([head, parts]).length < 2_000_000);
    assert.deepEqual(part('Parameters')?.block.notes, ['More parameters in the schema: 100.']);
    assert.match(part('Description')?.block.notes.join() ?? '', /This is the beginning\./);
  });

  it('shows and measures the numbers of a schema as the server wrote them', async () => {
    const text = '{"properties":{"id":{"const":9007199254740993},"share":{"default":1.000}}}';
    const written = toolOf('w', { inputSchema: Object(parseJson(text)) });
    const { part, head } = await pageOf({ entry: entryOf('rail', written) });
    const shown = JSON.stringify(part('Input schema')?.block);
    assert.match(shown, /9007199254740993/);
    assert.match(shown, /1\.000/);
    const bytes = Buffer.byteLength(`{"name":"w","inputSchema":${text}}`);
    assert.match(head.details.join(), new RegExp(`: ${bytes} bytes`));
  });

  it('asks for actions of a fixed list', () => {
    const asked = { type: 'headVerb', verb: 'call' };
    assert.deepEqual(parsePageMessage({ ...asked, toolName: 'other' }), asked);
    assert.equal(parsePageMessage({ ...asked, verb: 'delete' }), undefined);
  });
});
