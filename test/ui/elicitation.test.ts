import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseElicitation } from '../../src/core/input/elicitation';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { Draft } from '../../src/core/arguments/fieldDrafts';
import type { FieldAnswers, FieldQuestions } from '../../src/ui/arguments/fieldQuestions';
import { contextValues } from '../../src/ids';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { runningItem } from '../../src/ui/activity/callRows';
import { waitingBadge } from '../../src/ui/activity/callsView';
import { Elicitations, type UrlPrompts } from '../../src/ui/elicitation/elicitations';
import type { Chosen, Prompt } from '../../src/ui/arguments/rowPrompt';
import { toFormFields } from '../../src/ui/elicitation/formFields';
import type { FormPrompts } from '../../src/ui/elicitation/formPrompts';
import { accept, close, pressingKey } from './pressingKeys';
import { assertEach } from '../assertions';
import { until } from '../waiting';

const validator = new SchemaValidator();
const noToken = new vscode.CancellationTokenSource().token;

function form(properties: object, more: { required?: string[]; message?: string } = {}) {
  const { message = 'Where shall we deliver?', ...rest } = more;
  const requestedSchema = { type: 'object', properties, ...rest };
  const request = parseElicitation({ message, requestedSchema });
  assert.ok(typeof request !== 'string');
  return request;
}

function page(url: string, message = 'Please sign in.'): ElicitationRequest {
  return { mode: 'url', message, url, tool: 'book' };
}

const delivery = form(
  {
    name: { type: 'string', title: 'Name', minLength: 2 },
    email: { type: 'string', format: 'email' },
    count: { type: 'integer', minimum: 1, default: 2 },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }], default: 's' },
    gift: { type: 'boolean', default: false },
    extras: {
      type: 'array',
      items: { anyOf: ['milk', 'sugar'].map((one) => ({ const: one, title: `With ${one}` })) },
      maxItems: 2,
      default: ['sugar'],
    },
  },
  { required: ['name'] },
);

/** What a person does at one list: the label of a row, with that of its button, or `back` or `cancel`. */
type Doing =
  | string
  | { readonly drafts: Record<string, Draft>; readonly kind: FieldAnswers['kind'] };

/** A person who does what the test says, and what was on the screen meanwhile. */
class Person implements FormPrompts {
  readonly seen: Prompt<unknown>[] = [];
  readonly entered: FieldQuestions[] = [];
  readonly #doing: Doing[];

  constructor(...doing: Doing[]) {
    this.#doing = doing;
  }

  choose<Answer>(prompt: Prompt<Answer>): Promise<Chosen<Answer>> {
    this.seen.push(prompt);
    const wanted = this.#doing.shift();
    if (wanted === 'back' || wanted === 'cancel') return Promise.resolve({ kind: wanted });
    const rows = prompt.groups.flatMap((group) =>
      group.rows.flatMap(({ label, answer, button }) => [
        { label, answer },
        ...(button === undefined ? [] : [{ ...button, label: `${label}, ${button.tooltip}` }]),
      ]),
    );
    const row = rows.find(({ label }) => label === wanted);
    assert.ok(
      row !== undefined,
      `no row ${JSON.stringify(wanted)} in ${rowsOf(prompt).join('; ')}`,
    );
    return Promise.resolve({ kind: 'chosen', answer: row.answer });
  }

  enter(questions: FieldQuestions): Promise<FieldAnswers> {
    this.entered.push(questions);
    const doing = this.#doing.shift();
    assert.ok(typeof doing === 'object');
    const drafts = new Map([...questions.drafts, ...Object.entries(doing.drafts)]);
    return Promise.resolve({ kind: doing.kind, drafts });
  }

  does(...doing: Doing[]): void {
    this.#doing.push(...doing);
  }

  get isDone(): boolean {
    return this.#doing.length === 0;
  }
}

function rowsOf(prompt: Prompt<unknown> | undefined): string[] {
  const rows = prompt?.groups.flatMap((group) => group.rows) ?? [];
  return rows.map(({ label, description = '', detail = '' }) =>
    [label, description, detail].filter((part) => part !== '').join(' | '),
  );
}

class Log {
  readonly lines: string[] = [];
  info(text: string): void {
    this.lines.push(text);
  }
  warn(text: string): void {
    this.lines.push(`warn ${text}`);
  }
}

function handler(parts: { forms?: FormPrompts; urls?: UrlPrompts; log?: Log }): InputHandler {
  const { log = new Log(), ...rest } = parts;
  return new Elicitations({ validator, ...rest }).handlerFor({ id: 'shop', label: 'shop', log });
}

async function ask(forms: Person, request = delivery): Promise<ElicitationResult> {
  const result = await handler({ forms }).elicit(request, noToken);
  assert.ok(forms.isDone, 'the person had more to do');
  return result;
}

/** What is entered into a field, or into several in turn. */
const enter = (drafts: Record<string, Draft>, kind: FieldAnswers['kind'] = 'done') =>
  ({ kind, drafts }) as const;

describe('A form that a server asks for', () => {
  const send = 'Send to “shop”';

  it('has one list: the question on top, then the actions and all fields, required ones first', async () => {
    const person = new Person('cancel');
    await ask(person);
    const [first] = person.seen;
    assert.deepEqual(
      [first?.title, first?.message, first?.placeholder, ...rowsOf(first)],
      [
        'Server “shop” asks you',
        'Message: “Where shall we deliver?”',
        'Send, or select an answer to change it. Escape cancels.',
        'Send to “shop” | missing: Name',
        'Decline | Tells the server that you declined.',
        'Cancel | Tells the server that you closed the question.',
        'Name | (missing) — at least 2 characters',
        'email | (left out) — an email address',
        'count | 2',
        'size | Small',
        'gift | No',
        'extras | With sugar',
      ],
    );
    assert.deepEqual(
      first?.groups.map(({ heading }) => heading),
      ['', 'Required', 'Optional'],
    );
  });

  it('names the waiting call, and shows text of the server as plain text', async () => {
    const person = new Person('cancel');
    const message = '[Help](command:evil) $(verified)\u202E\nhttps://evil.example';
    await ask(person, {
      ...form({ '$(x)\u200B': { type: 'boolean' } }, { message }),
      tool: '$(t)',
    });
    assert.equal(
      person.seen[0]?.message,
      'Message: “[Help] (command:evil) \\$(verified)\\u{202E} https://evil.example” The call of “\\$(t)” is waiting for your answer.',
    );
    assert.equal(rowsOf(person.seen[0])[3], '\\$(x)\\u{200B} | (left out) — one of: Yes, No');
  });

  it('sends the values of the list, with defaults, without omitted fields', async () => {
    const person = new Person('Name', enter({ name: 'Ann' }), send);
    assert.deepEqual(await ask(person), {
      action: 'accept',
      content: { name: 'Ann', count: 2, size: 's', gift: false, extras: ['sugar'] },
    });
    assert.deepEqual(rowsOf(person.seen[1]).slice(0, 4), [
      'Send to “shop”',
      'Decline | Tells the server that you declined.',
      'Cancel | Tells the server that you closed the question.',
      'Name | Ann',
    ]);
    assert.equal(person.seen[1]?.active, 'send');
  });

  it('asks for what is missing if it is sent too early, and for nothing else', async () => {
    const person = new Person(send, enter({ name: 'Ann' }), send);
    assert.equal((await ask(person)).action, 'accept');
    assertEach(person.entered, ({ fields }) => fields.map(({ name }) => name).join(), ['name']);
  });

  it('sends no default that was cleared, and shows that it is left out', async () => {
    const person = new Person(
      'Name',
      enter({ name: 'Ann' }),
      'count',
      enter({ count: '' }),
      'gift',
      enter({ gift: {} }),
      'size',
      enter({ size: {} }),
      'extras',
      enter({ extras: { values: [] } }),
      send,
    );
    assert.deepEqual(await ask(person), { action: 'accept', content: { name: 'Ann' } });
    const rows = rowsOf(person.seen.at(-1)).slice(-5);
    assert.ok(
      rows.every((row) => row.includes(' | (left out)')),
      rows.join('; '),
    );
  });

  it('has a button to leave an optional value out', async () => {
    const person = new Person('count, Leave Out', 'Name', enter({ name: 'Ann' }), send);
    const { content } = { content: undefined, ...(await ask(person)) };
    assert.deepEqual(content, { name: 'Ann', size: 's', gift: false, extras: ['sugar'] });
  });

  it('keeps the earlier value of a field that the user leaves without Enter', async () => {
    const person = new Person(
      'Name',
      enter({ name: 'Ann' }),
      'count',
      enter({ count: '77' }, 'back'),
      'size',
      enter({ size: {} }, 'cancelled'),
      send,
    );
    const { content } = { content: undefined, ...(await ask(person)) };
    assert.deepEqual(content, { name: 'Ann', count: 2, size: 's', gift: false, extras: ['sugar'] });
    assert.equal(typeof person.seen[2]?.active, 'object');
  });

  it('distinguishes decline from cancel in the list and in a field', async () => {
    const leaving = [
      ['decline', 'Decline'],
      ['cancel', 'Cancel'],
      ['cancel', 'cancel'],
      ['decline', 'Name', enter({}, 'exit')],
      ['cancel', 'Name', enter({}, 'cancelled'), 'cancel'],
      ['decline', send, enter({}, 'exit')],
    ] as const;
    for (const [action, ...doing] of leaving) {
      assert.deepEqual(await ask(new Person(...doing)), { action });
    }
  });

  it('asks for consent only if it has no fields', async () => {
    const person = new Person('Accept');
    assert.deepEqual(await ask(person, form({})), { action: 'accept', content: {} });
    assert.match(person.seen[0]?.message ?? '', /The server asks for your consent and no data\.$/);
    assert.equal(person.seen[0]?.placeholder, 'Accept or decline. Escape cancels.');
  });

  it('shows an error at its field, and is not sent with it', async () => {
    const person = new Person('Name', enter({ name: 'A' }), send, enter({ name: 'Al' }), send);
    assert.equal((await ask(person)).action, 'accept');
    const [row, , , field] = rowsOf(person.seen[1]);
    assert.deepEqual(
      [row, field],
      [
        'Send to “shop” | invalid: Name',
        'Name | A — The server requires another value: must have at least 2 characters',
      ],
    );
  });

  it('is not sent while it violates the schema of the server as a whole', async () => {
    const request = form({ a: { type: 'boolean' }, b: { type: 'boolean' } });
    const whole = {
      ...request,
      schema: { ...('schema' in request && request.schema), minProperties: 1 },
    };
    const person = new Person(send, 'cancel');
    await ask(person, whole);
    assert.match(
      rowsOf(person.seen[1])[0] ?? '',
      /^Send to “shop” \| The server requires another value: /,
    );
  });

  it('warns if it seems to ask for a secret, on top and at the field', async () => {
    const person = new Person(
      'apiKey',
      enter({}, 'cancelled'),
      'note',
      enter({}, 'cancelled'),
      'cancel',
    );
    await ask(person, form({ apiKey: { type: 'string' }, note: { type: 'string' } }));
    assert.match(
      person.seen[0]?.message ?? '',
      /^Warning: this may ask for a secret \(apiKey\), which servers must not do\./,
    );
    assertEach(person.entered, ({ fields: [field], noteOf }) => field && noteOf?.(field), [
      'Warning: enter a secret here only if you trust the server with it.',
      undefined,
    ]);
  });

  it('validates what is typed: required, number, format, schema', async () => {
    const person = new Person('Name', enter({}, 'cancelled'), 'cancel');
    await ask(person);
    const [questions] = person.entered;
    const request = delivery;
    assert.ok(request.mode === 'form');
    const fields = toFormFields(request);
    const problem = (name: string, text: string) => {
      const field = fields.find((one) => one.name === name);
      const isTyped = field?.kind === 'string' || field?.kind === 'integer';
      assert.ok(isTyped);
      return questions?.problemOf(field, text);
    };
    assert.deepEqual(
      [
        problem('name', ''),
        problem('name', 'A'),
        problem('name', 'Al'),
        problem('email', ''),
        problem('email', 'x'),
        problem('email', 'a@b.org'),
        problem('count', '1.5'),
        problem('count', '0'),
        problem('count', '1'),
      ],
      [
        'The server requires a value.',
        'The server requires another value: must have at least 2 characters',
        undefined,
        undefined,
        'This is not an email address. Use the form name@example.org.',
        undefined,
        'Enter an integer.',
        'The server requires another value: must be at least 1',
        undefined,
      ],
    );
  });
});

const turn = () => new Promise(setImmediate);

describe('Questions of several servers', () => {
  /** A person who answers when the test lets them. */
  class SlowPerson extends Person {
    readonly answers: ((chosen: Chosen<never>) => void)[] = [];
    override choose<Answer>(prompt: Prompt<Answer>): Promise<Chosen<Answer>> {
      this.seen.push(prompt);
      return new Promise((resolve) => this.answers.push(resolve));
    }
  }

  it('are shown one after the other', async () => {
    const forms = new SlowPerson();
    const elicitations = new Elicitations({ validator, forms });
    const [first, second] = ['one', 'two'].map((label) =>
      elicitations.handlerFor({ id: 'shop', label, log: new Log() }).elicit(delivery, noToken),
    );
    await turn();
    assertEach(forms.seen, ({ title }) => title, ['Server “one” asks you']);
    forms.answers[0]?.({ kind: 'cancel' });
    assert.deepEqual(await first, { action: 'cancel' });
    await turn();
    assert.equal(forms.seen[1]?.title, 'Server “two” asks you');
    forms.answers[1]?.({ kind: 'cancel' });
    await second;
  });

  it('are refused if more than 10 of a server wait, and the log of the server says so', async () => {
    const forms = new SlowPerson();
    const log = new Log();
    const source = new vscode.CancellationTokenSource();
    const one = handler({ forms, log });
    const asked = Array.from({ length: 12 }, () =>
      one.elicit(delivery, source.token).then(
        ({ action }) => action,
        (error: unknown) => String(error),
      ),
    );
    await turn();
    assert.deepEqual(log.lines, [
      'warn a question to you was declined because too many questions are waiting',
    ]);
    source.cancel();
    forms.answers[0]?.({ kind: 'cancel' });
    const ends = await Promise.all(asked);
    assert.deepEqual(
      [forms.seen.length, ends.filter((end) => end === 'cancel').length, ends.at(-1)],
      [1, 11, 'McpError: inputNotPossible: too many questions are waiting'],
    );
  });

  it('of one server take no place of another server, even those of a task', async () => {
    const forms = new SlowPerson();
    const log = new Log();
    const callOfTask = () => ({ asks: () => () => undefined });
    const elicitations = new Elicitations({ validator, forms, callOfTask });
    const [loud, quiet] = ['loud', 'quiet'].map((id) =>
      elicitations.handlerFor({ id, label: id, log }),
    );
    const source = new vscode.CancellationTokenSource();
    for (let count = 0; count < 100; count += 1) {
      void loud?.elicit({ ...delivery, taskId: 't' }, source.token).catch(() => undefined);
    }
    const answer = quiet?.elicit(delivery, noToken);
    answer?.catch(() => undefined);
    await turn();
    assert.deepEqual(log.lines, []);
    // Only the visible question and the quiet server's are left.
    source.cancel();
    forms.answers[0]?.({ kind: 'cancel' });
    await until(() => forms.answers.length === 2);
    assert.equal(forms.seen[1]?.title, 'Server “quiet” asks you');
    forms.answers[1]?.({ kind: 'cancel' });
    assert.deepEqual(await answer, { action: 'cancel' });
  });

  it('leave their places when they are cancelled, while another one stays visible', async () => {
    const forms = new SlowPerson();
    const log = new Log();
    const ended = 'a question to you (form) ended with: cancel';
    const one = handler({ forms, log });
    const visible = one.elicit(delivery, noToken);
    for (let count = 0; count < 30; count += 1) {
      const source = new vscode.CancellationTokenSource();
      void one.elicit(delivery, source.token);
      source.cancel();
    }
    await turn();
    assert.deepEqual(log.lines, Array<string>(30).fill(ended));
    assert.equal(forms.answers.length, 1);
    forms.answers[0]?.({ kind: 'cancel' });
    await visible;
  });

  it('do not wait for one that failed', async () => {
    const broken: FormPrompts = {
      choose: () => Promise.reject(new Error('no window')),
      enter: () => Promise.reject(new Error('no window')),
    };
    const one = handler({ forms: broken });
    await assert.rejects(one.elicit(delivery, noToken), /no window/);
    await assert.rejects(one.elicit(delivery, noToken), /no window/);
  });
});

describe('A question of a task', () => {
  const ofTask: ElicitationRequest = { ...delivery, taskId: 't' };
  /** One that is asked in the middle of a task, and what its row has. */
  function waiting(parts: { forms?: FormPrompts; urls?: UrlPrompts }) {
    const calls = new RunningCalls();
    const call = calls.begin('1', { server: 'shop', tool: 'buy', origin: 'tree' }, noToken);
    call.goesOn('here', 0, () => true);
    call.runsAsTask({ taskId: 't', status: 'input_required', pollMs: 500 });
    const callOfTask = (...task: [string, string]) => calls.ofTask(...task);
    const elicitations = new Elicitations({ validator, ...parts, callOfTask });
    const one = elicitations.handlerFor({ id: 'shop', label: 'shop', log: new Log() });
    const closed = async () => {
      await turn();
      await turn();
      return call.questions.length;
    };
    return { call, calls, one, closed, answerLater: () => call.questions[0]?.open() };
  }

  it('waits on the row of its call when it is closed, with the entered values', async () => {
    const person = new Person('Name', enter({ name: 'Ann' }), 'Later');
    const { call, calls, one, closed, answerLater } = waiting({ forms: person });
    const answer = one.elicit(ofTask, noToken);
    assert.equal(await closed(), 1);
    assert.deepEqual(waitingBadge(calls.running), {
      value: 1,
      tooltip: '1 task question is waiting for you',
    });
    const item = runningItem(call, '', 0);
    assert.match(String(item.description), /^task asks you · /);
    assert.equal(item.contextValue, contextValues.callTaskAsking);
    assert.match(item.accessibilityInformation?.label ?? '', /The server asks you a question\./);
    call.hide(true);
    person.does('Send to “shop”');
    answerLater();
    const { action, ...rest } = await answer;
    assert.equal(action, 'accept');
    assert.match(JSON.stringify(rest), /Ann/);
    assert.deepEqual([call.questions, waitingBadge(calls.running)], [[], undefined]);
    assert.match(rowsOf(person.seen[0]).join(), /Later \| The question stays open on the row/);
  });

  it('shows a hidden row again, and disappears when the server withdraws it', async () => {
    const { call, one, closed } = waiting({ forms: new Person('cancel') });
    call.hide(true);
    const source = new vscode.CancellationTokenSource();
    const answer = one.elicit(ofTask, source.token);
    assert.equal(await closed(), 1);
    assert.equal(call.isHidden, false);
    source.cancel();
    await assert.rejects(answer, /cancelled/);
    assert.deepEqual(call.questions, []);
  });

  it('delays no question of a call, and waits on its row if more than 10 are asked', async () => {
    const { call, one, closed } = waiting({ forms: new Person('cancel', 'Decline') });
    void one.elicit(ofTask, noToken).catch(() => undefined);
    assert.equal(await closed(), 1);
    assert.deepEqual(await one.elicit(delivery, noToken), { action: 'decline' });
    const never = { choose: () => new Promise<never>(() => undefined), enter: () => assert.fail() };
    const crowd = waiting({ forms: never });
    for (let count = 0; count < 30; count += 1) {
      void crowd.one.elicit(ofTask, noToken).catch(() => assert.fail());
    }
    assert.equal(await crowd.closed(), 30);
    assert.equal(call.questions.length, 1);
  });

  it('for a web page works the same: Later and closing postpone it, and Decline is an answer', async () => {
    const pressed: ('open' | 'decline' | undefined)[] = [undefined, 'decline'];
    const offers: boolean[] = [];
    const urls: UrlPrompts = {
      ask: (_message, _detail, { canWait }) => {
        offers.push(canWait);
        return Promise.resolve(pressed.shift());
      },
      open: () => assert.fail(),
    };
    const { one, closed, answerLater } = waiting({ urls });
    const answer = one.elicit({ ...page('https://example.org'), taskId: 't' }, noToken);
    assert.equal(await closed(), 1);
    answerLater();
    assert.deepEqual([await answer, offers], [{ action: 'decline' }, [true, true]]);
  });
});

/** Presses `button`; what was shown and opened. */
function pressing(button: 'open' | 'decline' | undefined, isOpened = true) {
  const shown: string[] = [];
  const opened: string[] = [];
  const urls: UrlPrompts = {
    ask: (message, detail, { canOpen }) => {
      shown.push(message, detail, canOpen ? 'can open' : 'cannot open');
      return Promise.resolve(button);
    },
    open: (address) => {
      opened.push(address);
      return Promise.resolve(isOpened);
    },
  };
  return { shown, opened, one: handler({ urls }) };
}

describe('A web page that a server asks for', () => {
  it('is shown with its whole URL, and its host on a line of its own', async () => {
    const { shown, one } = pressing(undefined);
    await one.elicit(page('https://accounts.example.org/a?next=%2Fb%26c'), noToken);
    assert.deepEqual(shown, [
      'Open the web page that server “shop” requests?',
      [
        'Message: “Please sign in.”',
        'The call of “book” is waiting for your answer.',
        '',
        'Host: accounts.example.org',
        'URL: https://accounts.example.org/a?next=%2Fb%26c',
        '',
        'Nothing has been opened or downloaded. What you enter on the page goes to that host.',
      ].join('\n'),
      'can open',
    ]);
  });

  it('is opened only on the click, exactly as shown, and accepted only if it opened', async () => {
    const url = 'https://example.org/a?next=%2Fb%26c';
    const ends = [];
    for (const way of [
      pressing('open'),
      pressing('open', false),
      pressing('decline'),
      pressing(undefined),
    ]) {
      ends.push([await way.one.elicit(page(url), noToken), ...way.opened]);
    }
    assert.deepEqual(ends, [
      [{ action: 'accept' }, url],
      [{ action: 'cancel' }, url],
      [{ action: 'decline' }],
      [{ action: 'cancel' }],
    ]);
  });

  it('is not opened if the server withdrew its question before the click', async () => {
    const source = new vscode.CancellationTokenSource();
    const opened: string[] = [];
    const urls: UrlPrompts = {
      ask: () => {
        source.cancel();
        return Promise.resolve('open');
      },
      open: (address) => {
        opened.push(address);
        return Promise.resolve(true);
      },
    };
    const result = await handler({ urls }).elicit(page('https://example.org'), source.token);
    assert.deepEqual([result, opened], [{ action: 'cancel' }, []]);
  });

  it('is not offered if its URL is not safe, even to a command', async () => {
    const { shown, opened, one } = pressing('open');
    const result = await one.elicit(page('http://example.org/'), noToken);
    assert.deepEqual(
      [result, opened, shown[0], shown[2]],
      [
        { action: 'decline' },
        [],
        'Server “shop” requests a web page that is not safe to open.',
        'cannot open',
      ],
    );
    assert.match(shown[1] ?? '', /Only https URLs can be opened\./);
  });

  it('has a warning if its URL is deceptive', async () => {
    const { shown, one } = pressing(undefined);
    await one.elicit(page('https://\u0430pple.com:8443/'), noToken);
    assert.deepEqual(shown[1]?.split('\n').slice(3, 9), [
      'Host: xn--pple-43d.com:8443',
      'Encoded: \u0430pple.com',
      'URL: https://xn--pple-43d.com:8443/',
      '',
      'Warning: the host contains letters that can look like others.',
      'Warning: the host uses an unusual port.',
    ]);
  });
});

describe('The native inputs of a form', () => {
  const named = form(
    {
      name: { type: 'string', default: 'Ann' },
      note: { type: 'string' },
      colour: { type: 'string', enum: ['red', 'green'] },
      size: { type: 'string', enum: ['s', 'm'], default: 'm' },
      gift: { type: 'boolean', default: true },
      extras: { type: 'array', items: { enum: ['milk', 'sugar'] }, default: ['sugar'] },
    },
    { required: ['name'] },
  );

  it('accept the defaults by Enter alone, and send nothing that was not proposed', async () => {
    const asked = handler({}).elicit(named, noToken);
    assert.deepEqual(await pressingKey(accept, asked), {
      action: 'accept',
      content: { name: 'Ann', size: 'm', gift: true, extras: ['sugar'] },
    });
  });

  it('cancel when they are closed', async () => {
    const asked = handler({}).elicit(named, noToken);
    assert.deepEqual(await pressingKey(close, asked), { action: 'cancel' });
  });

  it('close when the server withdraws its question', async () => {
    const source = new vscode.CancellationTokenSource();
    const asked = handler({}).elicit(
      form({ name: { type: 'string' } }, { required: ['name'] }),
      source.token,
    );
    // The list asks for the missing name.
    await vscode.commands.executeCommand(accept);
    source.cancel();
    assert.deepEqual(await asked, { action: 'cancel' });
  });
});
