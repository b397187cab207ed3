import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { CallAnswer, CallOutcome, CallQuestion } from '../../src/host/calls/call';
import { Gate } from '../../src/host/calls/gate';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { SignInOccasions } from '../../src/host/authorization/signInTiming';
import { AgentAccess } from '../../src/host/agents/agentAccess';
import { AgentDrafts } from '../../src/host/agents/agentDrafts';
import type { AgentMessages } from '../../src/host/agents/agentCall';
import { AgentEndpoint, type AgentEndpointLimits } from '../../src/host/agents/agentEndpoint';
import {
  AgentRateLimit,
  agentFloodLimits,
  type AgentRateLimits,
} from '../../src/host/agents/agentLimits';
import { bridgeProtocol, serverPath, type AgentWindow } from '../../src/host/agents/agentProtocol';
import { readWindows } from '../../src/host/agents/agentWindows';
import type { CallFacts, PinState } from '../../src/host/consent/facts/callFacts';
import type { RuleBook } from '../../src/host/consent/rules/ruleBook';
import { callLimits } from './callLimits';
import { bookOf } from './ruleCases';
import { SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { SetScene } from './setScene';
import { Consent } from '../../src/host/consent/consent';

export const messages: AgentMessages = {
  refused: (server, outcome) =>
    outcome.kind === 'failed'
      ? `failed ${server} ${outcome.error.code}`
      : outcome.kind === 'denied'
        ? `denied ${outcome.decision?.cause.kind ?? 'by the person'}`
        : outcome.kind,
  unanswered: () => 'nobody answered; nothing was sent',
  noSuchTool: (name) => `no tool ${name}`,
  leftOut: (name) => `left out ${name}`,
  waiting: () => 'waiting for the person',
};

export interface SceneOptions {
  readonly exposed?: readonly string[];
  readonly user?: unknown;
  readonly workspace?: unknown;
  readonly limits?: Partial<AgentEndpointLimits>;
  readonly floods?: Partial<AgentRateLimits>;
  /** That of another window. Default: one of its own. */
  readonly folder?: string;
}

/** A window that serves agents, with real servers, the real gate and real rules. */
export class AgentScene {
  readonly folder: string;
  readonly workspace: string;
  readonly servers = new SteeredServers();
  readonly questions: CallQuestion[] = [];
  readonly kept: CallOutcome[] = [];
  readonly floodsOf: string[] = [];
  readonly logged: string[] = [];
  readonly steered = new SteeredConsent();
  readonly running = new RunningCalls();
  readonly sets = new SetScene();
  readonly drafts = new AgentDrafts();
  readonly occasions = new SignInOccasions();
  exposed: readonly string[];
  answerWithinMs = 30_000;
  isTrusted = true;
  isAnswered = true;
  startsOnUse = true;
  maxCallsPerServer = 4;
  /** Milliseconds that have gone by for whoever counts starts. */
  laterMs = 0;
  pinOf: (facts: { tool: string }) => PinState = () => ({ kind: 'known' });
  /** What the person does. */
  answer: (question: CallQuestion) => Promise<CallAnswer> = () => Promise.resolve({ kind: 'no' });
  readonly book: RuleBook;
  readonly gate: Gate;
  readonly access: AgentAccess;
  endpoint!: AgentEndpoint;
  readonly #options: SceneOptions;

  constructor(options: SceneOptions = {}) {
    this.#options = options;
    this.folder = options.folder ?? realpathSync(mkdtempSync(path.join(tmpdir(), 'agents-')));
    this.workspace = path.join(this.folder, 'workspace');
    this.exposed = options.exposed ?? ['a'];
    this.book = bookOf({ user: options.user, workspace: options.workspace });
    const { registry } = this.servers;
    const consent = new Consent({
      rules: this.book,
      grants: {
        covering: async () => ({ suspended: [] }),
        remember: async () => undefined,
        noteUse: () => undefined,
      },
      pins: {
        stateOf: async (_, { name }) => this.pinOf({ tool: name }),
        accept: async () => undefined,
      },
      overrides: { effective: async (facts: CallFacts) => facts },
      offeredGrants: () => [],
      toolsOf: () => [],
      onProblem: () => undefined,
    });
    this.gate = new Gate({
      registry,
      validator: new SchemaValidator(),
      consent,
      confirm: (question) => {
        this.questions.push(question);
        return this.answer(question);
      },
      journal: this.steered,
      calls: this.running,
      limits: () => ({ ...callLimits(10_000), maxCallsPerServer: this.maxCallsPerServer }),
    });
    this.access = new AgentAccess({
      registry,
      exposed: () => this.exposed,
      toolSets: this.sets.toolSets,
      rules: () => this.book.rules,
      pins: { stateOf: async (_, { name }) => this.pinOf({ tool: name }) },
      isTrusted: async () => this.isTrusted,
      isAnswered: async () => this.isAnswered,
      startsOnUse: () => this.startsOnUse,
      changes: [this.book.onDidChange],
      now: () => performance.now() + this.laterMs,
    });
  }

  async open(...ids: readonly string[]): Promise<void> {
    const { limits, floods } = this.#options;
    this.servers.configure(...ids.map((id) => this.servers.config(id)));
    this.endpoint = await AgentEndpoint.open({
      access: this.access,
      gate: this.gate,
      floods: new AgentRateLimit((client) => this.floodsOf.push(client), {
        ...agentFloodLimits,
        ...floods,
      }),
      messages,
      answerWithinMs: () => this.answerWithinMs,
      keep: async (outcome) => this.kept.push(outcome),
      drafts: this.drafts,
      occasions: this.occasions,
      folder: this.folder,
      workspaceFolders: async () => [this.workspace],
      version: '1.0.0',
      log: { info: (text) => this.logged.push(text), warn: (text) => this.logged.push(text) },
      ...(limits === undefined ? {} : { limits }),
    });
  }

  async window(): Promise<AgentWindow> {
    const [window] = await readWindows(this.folder);
    if (window === undefined) throw new Error('no window is written down');
    return window;
  }

  /** As the bridge does; what came instead of a connection is an error with what was said. */
  async connect(
    more: {
      socket?: string;
      token?: string;
      path?: string;
      server?: string;
      protocol?: string;
    } = {},
  ): Promise<Duplex> {
    const window = await this.window();
    const { socket: socketPath = window.socket, token = window.token, server } = more;
    const { path: where = serverPath(server) } = more;
    const { protocol = bridgeProtocol } = more;
    return new Promise((resolve, reject) => {
      const asking = request({
        socketPath,
        path: where,
        headers: { connection: 'Upgrade', upgrade: protocol, authorization: `Bearer ${token}` },
      });
      asking.on('upgrade', (_, socket, head) => {
        socket.unshift(head);
        resolve(socket);
      });
      asking.on('response', (response) => {
        let said = `${response.statusCode} ${response.headers['www-authenticate'] ?? ''}`;
        response.on('data', (text: Buffer) => (said += text.toString()));
        response.on('end', () => reject(new Error(said.trim())));
      });
      asking.on('error', reject);
      asking.end();
    });
  }

  async end(): Promise<void> {
    await this.endpoint?.close();
    this.access.dispose();
    this.sets.toolSets.dispose();
    await this.servers.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
