import assert from 'node:assert/strict';

/** An element with what is inside of it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const token = /<(\/?)([\w.-]+)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;

/** Reads the XML that this program writes, and nothing else: any other character is an error. */
export function parseXml(xml: string): XmlElement {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  assert.ok(xml.startsWith(head));
  // XML 1.0, 2.2: characters that may stand nowhere.
  const isControl = (char: string) => char < ' ' && !'\t\n\r'.includes(char);
  assert.ok(!Array.from(xml).some((char) => isControl(char) || '\ufffe\uffff'.includes(char)));
  const root = { name: '', attributes: {}, children: [] as XmlElement[], text: '' };
  const open = [root];
  token.lastIndex = head.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml) ?? assert.fail(`no XML at ${at}: ${xml.slice(at, at + 60)}`);
    const [, slash, name = '', attributes = '', empty, text] = match;
    const top = open.at(-1) ?? root;
    if (text !== undefined) top.text += unescaped(text);
    else if (slash === '/') assert.equal(open.pop()?.name, name);
    else {
      const element = { name, attributes: attributesOf(attributes), children: [], text: '' };
      top.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  assert.equal(open.length, 1, 'an element was not closed');
  assert.equal(root.children.length, 1);
  return root.children[0] ?? assert.fail();
}

function attributesOf(text: string): Record<string, string> {
  const all = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, unescaped(value)] as const,
  );
  assert.equal(new Set(all.map(([name]) => name)).size, all.length, 'an attribute stands twice');
  return Object.fromEntries(all);
}

function unescaped(text: string): string {
  return text.replaceAll(/&(#?\w*);?/g, (whole, name: string) => {
    const [, code] = /^#(\d+)$/.exec(name) ?? [];
    if (code !== undefined && whole.endsWith(';')) return String.fromCodePoint(Number(code));
    return (whole.endsWith(';') ? entities[name] : undefined) ?? assert.fail(`entity ${whole}`);
  });
}

const whole = /^\d+$/;
const seconds = /^\d+\.\d{3}$/;

/**
 * Holds a report against the form that pipelines share (the schema of Jenkins' xUnit plugin,
 * `junit-10.xsd`): elements, attributes and their types, and counts that are what they count.
 */
export function checkJunit(xml: string): readonly XmlElement[] {
  const root = parseXml(xml);
  assert.equal(root.name, 'testsuites');
  checkTotals(
    root,
    root.children.flatMap(({ children }) => children),
  );
  for (const suite of root.children) {
    assert.equal(suite.name, 'testsuite');
    const { timestamp, ...attributes } = suite.attributes;
    if (timestamp !== undefined) assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.deepEqual(Object.keys(attributes).toSorted(), [
      'errors',
      'failures',
      'name',
      'skipped',
      'tests',
      'time',
    ]);
    checkTotals(suite, suite.children);
    for (const each of suite.children) checkCase(each);
  }
  return root.children.flatMap(({ children }) => children);
}

function checkTotals({ attributes }: XmlElement, cases: readonly XmlElement[]): void {
  const count = (name: string) =>
    cases.filter(({ children }) => children.some((child) => child.name === name)).length;
  assert.deepEqual(
    [attributes['tests'], attributes['failures'], attributes['errors'], attributes['skipped']],
    [cases.length, count('failure'), count('error'), count('skipped')].map(String),
  );
  assert.match(attributes['time'] ?? '', seconds);
}

function checkCase({ name, attributes, children, text }: XmlElement): void {
  assert.equal(name, 'testcase');
  assert.notEqual(attributes['name'] ?? '', '');
  assert.notEqual(attributes['classname'] ?? '', '');
  assert.match(attributes['time'] ?? '', seconds);
  if (attributes['line'] !== undefined) assert.match(attributes['line'], whole);
  const known = ['name', 'classname', 'time', 'file', 'line'];
  assert.deepEqual(
    Object.keys(attributes).filter((key) => !known.includes(key)),
    [],
  );
  assert.equal(text.trim(), '');
  const [reason, out] = children;
  assert.ok(children.length <= 2);
  if (out !== undefined) {
    assert.ok(['failure', 'error'].includes(reason?.name ?? ''));
    assert.equal(out.name, 'system-out');
  }
  for (const child of children) {
    assert.ok(['failure', 'error', 'skipped', 'system-out'].includes(child.name), child.name);
    assert.deepEqual(Object.keys(child.attributes), child.name === 'system-out' ? [] : ['message']);
    assert.deepEqual(child.children, []);
  }
}
