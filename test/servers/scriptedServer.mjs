// What the scripted servers of the tests do with messages, whatever carries them. What the script
// does not change is polite: it initializes, answers ping, lists no tools, echoes calls, leaves at the
// end of its stdin. The tool `received` returns every message that came so far, whatever the script does.

// The transpiler of the tests marks functions with this; here it has nothing to do.
Object.assign(globalThis, { __name: (named) => named });

export class Server {
  revision = undefined;
  #capabilities = undefined;
  instructions = undefined;
  tools = [];
  received = [];
  handlers = new Map();
  listening = [];
  leavesAtEnd = true;

  /** What the script does not set: resources are offered where it reads some. */
  get capabilities() {
    const hasResources = [...this.handlers.keys()].some((name) => name.startsWith('resources/'));
    const resources = hasResources ? { resources: {} } : {};
    return this.#capabilities ?? { tools: { listChanged: true }, ...resources, logging: {} };
  }

  set capabilities(capabilities) {
    this.#capabilities = capabilities;
  }

  on(method, handler) {
    this.handlers.set(method, handler);
  }

  /** `raw` writes exactly the text that it gets, in one write. */
  constructor(raw) {
    this.raw = raw;
  }

  send(message) {
    this.raw(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
  }

  reply(request, result) {
    this.send({ id: request.id, result });
  }

  text(request, text) {
    this.reply(request, { content: [{ type: 'text', text }] });
  }

  fail(request, code, message, data) {
    this.send({ id: request.id, error: { code, message, data } });
  }

  /**
   * From now on of the stateless era, and refuses the handshake. Every subscription is granted
   * and noted in `listening`.
   */
  speakStateless() {
    this.on('initialize', (message) => {
      const data = { supported: ['2026-07-28'], requested: message.params.protocolVersion };
      this.fail(message, -32022, 'Unsupported protocol version', data);
    });
    this.on('server/discover', (message) =>
      this.reply(message, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: this.capabilities,
        instructions: this.instructions,
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1.2.3' } },
      }),
    );
    this.on('subscriptions/listen', (message) => this.acknowledge(message));
  }

  acknowledge(listen) {
    this.listening.push(listen.id);
    const { notifications } = listen.params;
    this.notify(listen.id, 'notifications/subscriptions/acknowledged', { notifications });
  }

  /** A notification on the subscription `id`. */
  notify(id, method, params = {}) {
    const meta = { 'io.modelcontextprotocol/subscriptionId': id };
    this.send({ method, params: { ...params, _meta: meta } });
  }

  take(message) {
    this.received.push(message);
    if (message.method === 'tools/call' && message.params.name === 'received')
      return this.text(message, JSON.stringify(this.received));
    const handler = this.handlers.get(message.method ?? 'answer') ?? defaults[message.method];
    if (handler !== undefined) handler.call(this, message, this);
    else if (message.id !== undefined && message.method !== undefined) {
      this.fail(message, -32601, 'Method not found');
    }
  }
}

const defaults = {
  initialize(message) {
    this.reply(message, {
      protocolVersion: this.revision ?? message.params.protocolVersion,
      capabilities: this.capabilities,
      serverInfo: { name: 'scripted', version: '1.2.3', title: 'Scripted' },
      instructions: this.instructions,
    });
  },
  ping(message) {
    this.reply(message, {});
  },
  'tools/list'(message) {
    this.reply(message, { tools: this.tools });
  },
  'tools/call'(message) {
    const { name, arguments: given } = message.params;
    this.text(message, JSON.stringify({ name, arguments: given }));
  },
};
