import path from 'node:path';
import { getNodeValue, type Node } from 'jsonc-parser';
import { pinnableEras, type PinnedEra, toPinnedEra } from '../../core/types';
import {
  propertiesOf,
  type ProblemCode,
  type ProblemList,
  type Property,
} from './configurationProblems';
import type {
  EnvFile,
  HttpServerTransport,
  InputDefinition,
  ServerConfig,
  StdioServerTransport,
  TextPiece,
} from './serverConfig';
import {
  debugKey,
  entryKeysOf,
  oauthKey,
  toolgateKey,
  ownKeysOf,
  suggestKey,
  toolFilter,
} from './entryKeys';
import { readOAuth } from './oauthEntry';
import { looksSecret } from './secretNames';
import { hasInput, isServerUrl } from './inputs';
import {
  defaultFolder,
  type ConfigurationContext,
  type ResolvedText,
  writtenTexts,
  foreignVariable,
} from './variables';
import { parseEnvFile } from './readConfiguration';
import { boundedGlobs } from './watchGlobs';

/** Spellings of other clients. */
const httpNames: readonly unknown[] = ['http', 'streamable-http', 'streamableHttp'];
const stdioNames: readonly unknown[] = ['stdio', 'local'];

/** Reads one entry of `servers`, collects its problems and keeps everything else. */
export class EntryReader {
  readonly #server: string;
  readonly #entry: Node;
  readonly #context: ConfigurationContext;
  /** The text that the entry was parsed from. */
  readonly #source: string;
  readonly #list: ProblemList;
  readonly #resolve: (text: string) => ResolvedText;
  readonly #inputs = new Map<string, InputDefinition>();
  readonly #properties: readonly Property[];
  readonly #values: ReadonlyMap<string, Node>;
  readonly #pieces = new Map<Node, readonly TextPiece[]>();
  #file: EnvFile | undefined;
  /** Values with a fatal problem. Each gets only one problem. */
  readonly #condemned = new Set<Node>();

  constructor(
    server: string,
    entry: Node,
    context: ConfigurationContext,
    list: ProblemList,
    resolve: (text: string) => ResolvedText,
    source: string,
  ) {
    this.#source = source;
    this.#server = server;
    this.#resolve = resolve;
    this.#entry = entry;
    this.#context = context;
    this.#list = list;
    this.#properties = this.#propertiesOf(entry);
    this.#values = new Map(this.#properties.map(({ name, value }) => [name, value]));
  }

  /** Reads how the server is launched. Call it once, because it reports the problems. */
  read(): Omit<ServerConfig, 'id' | 'label' | 'source'> {
    const kind = this.#kind();
    this.#noteOddKeys(entryKeysOf(kind));
    const own = this.#own(kind);
    const era = this.#era(own);
    const transport = kind === 'stdio' ? this.#stdio() : this.#http(kind, own);
    const written = writtenTexts(this.#values, this.#pieces);
    const watch = this.#watch();
    const filter = this.#values.get('tools');
    const tools =
      filter && toolFilter(filter, () => this.#note('wrongType', filter, true, '["*"]'));
    return {
      transport: era === undefined ? transport : { ...transport, era },
      ...(written.length === 0 ? {} : { written }),
      ...(this.#file === undefined ? {} : { envFile: this.#file }),
      ...(watch.length === 0 ? {} : { watch }),
      ...(tools === undefined ? {} : { tools }),
      ...(this.#inputs.size === 0 ? {} : { inputs: [...this.#inputs.values()] }),
    };
  }

  /** Returns the members of Toolgate's own key that apply to this kind of server. */
  #own(kind: StdioServerTransport['kind'] | HttpServerTransport['kind']): readonly Property[] {
    const known = ownKeysOf(kind);
    return this.#members(toolgateKey).filter(({ name, node }) => {
      if (!known.includes(name)) this.#note('unknownKey', node, false, `${toolgateKey}.${name}`);
      return known.includes(name);
    });
  }

  /** `"toolgate": { "era": "stateful" | "stateless" | "auto" }`, or one of the revisions (R-038). */
  #era(own: readonly Property[]): PinnedEra | undefined {
    const node = own.find(({ name }) => name === 'era')?.value;
    const era = node === undefined ? 'auto' : toPinnedEra(getNodeValue(node));
    if (node && era === undefined) this.#note('wrongType', node, true, pinnableEras.join(' | '));
    return era === 'auto' ? undefined : era;
  }

  /** `"dev": { "watch": "src/**" }`. Attaching a debugger is not supported. */
  #watch(): string[] {
    return this.#members('dev').flatMap(({ name, value, node }) => {
      const refuse = () => this.#note('wrongType', value, false, 'glob');
      if (name === 'watch') return boundedGlobs(this.#textOrTexts(value), refuse);
      const code = name === debugKey ? 'unsupportedKey' : 'unknownKey';
      this.#note(code, node, false, `dev.${name}`);
      return [];
    });
  }

  #kind(): StdioServerTransport['kind'] | HttpServerTransport['kind'] {
    const type = this.#values.get('type');
    const declared: unknown = type && getNodeValue(type);
    if (stdioNames.includes(declared)) return 'stdio';
    if (declared === 'sse') return 'sse';
    if (httpNames.includes(declared)) return 'http';
    if (type !== undefined) this.#note('wrongType', type, true, 'stdio | http | sse');
    return this.#values.has('url') && !this.#values.has('command') ? 'http' : 'stdio';
  }

  #noteOddKeys(known: readonly string[]): void {
    for (const { name, node, value } of this.#properties) {
      // Running without the requested sandbox would be worse than not running.
      if (name === 'sandboxEnabled' && getNodeValue(value) !== false) {
        this.#note('unsupportedKey', node, true, name);
      } else if (!known.includes(name)) {
        this.#note('unknownKey', node, this.#isMisspelt(name), name);
      }
    }
  }

  /** True if the entry has no `command` or `url`, and this key was probably meant to be it. */
  #isMisspelt(name: string): boolean {
    if (this.#values.has('command') || this.#values.has('url')) return false;
    const meant = suggestKey(['servers', '', name], 'vscode', new Set());
    return meant === 'command' || meant === 'url';
  }

  /** True if the problem of the misspelled key says already why the server cannot start. */
  #hasMisspelt(): boolean {
    return this.#properties.some(({ name }) => this.#isMisspelt(name));
  }

  #stdio(): StdioServerTransport {
    const command = this.#text('command') ?? '';
    if (command === '' && !this.#isWrong('command') && !this.#hasMisspelt()) {
      this.#note('missingCommand', this.#entry, true);
    }
    const fromFile = this.#envFile();
    const args = this.#texts('args').map((text) => this.#withHome(text));
    const own = this.#env();
    if (fromFile !== undefined) {
      const names = Object.keys(fromFile.variables).filter((name) => !Object.hasOwn(own, name));
      this.#file = { path: fromFile.path, names };
    }
    return {
      kind: 'stdio',
      command: this.#withHome(command),
      args,
      env: { ...fromFile?.variables, ...own },
      cwd: this.#cwd(),
    };
  }

  #http(kind: HttpServerTransport['kind'], own: readonly Property[]): HttpServerTransport {
    const url = this.#text('url') ?? '';
    const isUsable = hasInput(url) || isServerUrl(url);
    if (!isUsable && !this.#isWrong('url') && !this.#hasMisspelt()) {
      const node = this.#values.get('url');
      // Shows the text as written, because the resolved text may contain a secret.
      this.#note('invalidUrl', node ?? this.#entry, true, node && String(getNodeValue(node)));
    }
    const headers = this.#members('headers').flatMap(({ name, value }): [string, string][] => {
      this.#noteSecret(name, value);
      const text = this.#textOf(value);
      return text === undefined ? [] : [[name, text]];
    });
    const oauth = readOAuth({
      oauth: this.#members(oauthKey),
      own,
      headers: headers.map(([name]) => name),
      textOf: (node) => this.#textOf(node),
      noteSecret: (name, value) => this.#noteSecret(name, value),
      note: (code, node, fatal, detail) => this.#note(code, node, fatal, detail),
    });
    const transport = { kind, url, headers: Object.fromEntries(headers) };
    return oauth === undefined ? transport : { ...transport, oauth };
  }

  #env(): Record<string, string | null> {
    const env = this.#members('env').flatMap(({ name, value, node }): [string, string | null][] => {
      if (name === '' || /[=\0]/.test(name)) {
        this.#note('wrongType', node, true, 'name');
        return [];
      }
      this.#noteSecret(name, value);
      if (value.type === 'null') return [[name, null]];
      if (value.type === 'number') return [[name, this.#writtenAt(value)]];
      const text = this.#textOf(value, 'string | number | null');
      return text === undefined ? [] : [[name, text]];
    });
    return Object.fromEntries(env);
  }

  /** Returns a number as it is written: JavaScript would change `1.10` and long ids. */
  #writtenAt({ offset, length }: Node): string {
    return this.#source.slice(offset, offset + length);
  }

  /** Warns of a literal secret in a file that is shared with others. */
  #noteSecret(name: string, value: Node): void {
    const text: unknown = value.type === 'string' ? getNodeValue(value) : undefined;
    if (typeof text !== 'string' || text === '' || text.includes('${')) return;
    if (foreignVariable(text) !== undefined) return;
    if (looksSecret(name, text)) this.#note('literalSecret', value, false, name);
  }

  /** Variables of the file come first, so that `env` can override them, as in VS Code. */
  #envFile(): { path: string; variables: Record<string, string> } | undefined {
    const file = this.#text('envFile');
    const node = this.#values.get('envFile');
    if (file === undefined || node === undefined || this.#condemned.has(node)) return undefined;
    if (hasInput(file)) {
      // The file is read before the user can be asked for inputs.
      this.#note('unsupportedVariable', node, true, file);
      return undefined;
    }
    try {
      const envPath = this.#absolute(file);
      return { path: envPath, variables: parseEnvFile(this.#context.readFile(envPath)) };
    } catch (error) {
      this.#note('unreadable', node, true, error instanceof Error ? error.message : file);
      return undefined;
    }
  }

  #cwd(): string {
    const cwd = this.#text('cwd');
    if (cwd === undefined || cwd === '') return this.#home();
    return cwd.startsWith('${input:') ? cwd : this.#absolute(cwd);
  }

  /** Returns the default working directory: the folder of the configuration, as in VS Code. */
  #home(): string {
    return defaultFolder(this.#context)?.path ?? this.#context.userHome;
  }

  #absolute(file: string): string {
    return path.resolve(this.#home(), this.#withHome(file));
  }

  /** Resolves a leading `~` to the home directory, because no shell does it. */
  #withHome(text: string): string {
    return /^~(?:[/\\]|$)/.test(text) ? this.#context.userHome + text.slice(1) : text;
  }

  #text(key: string): string | undefined {
    const node = this.#values.get(key);
    return node && this.#textOf(node);
  }

  #texts(key: string): string[] {
    const node = this.#values.get(key);
    return node === undefined ? [] : this.#textsOf(node);
  }

  #textOrTexts(node: Node): string[] {
    return node.type === 'string' ? [this.#textOf(node) ?? ''] : this.#textsOf(node);
  }

  #textsOf(node: Node): string[] {
    if (node.type !== 'array') {
      this.#note('wrongType', node, true, 'array');
      return [];
    }
    return (node.children ?? []).flatMap((item) => this.#textOf(item) ?? []);
  }

  #members(key: string): Property[] {
    const node = this.#values.get(key);
    if (node === undefined) return [];
    if (node.type !== 'object') {
      this.#note('wrongType', node, true, 'object');
      return [];
    }
    return this.#propertiesOf(node);
  }

  #propertiesOf(object: Node): Property[] {
    return propertiesOf(object, ({ name, node }) => this.#note('duplicateKey', node, false, name));
  }

  #textOf(node: Node, expected = 'string'): string | undefined {
    if (node.type !== 'string') {
      this.#note('wrongType', node, true, expected);
      return undefined;
    }
    const written = String(getNodeValue(node));
    const { text, problems, inputs, pieces } = this.#resolve(written);
    this.#pieces.set(node, pieces);
    for (const { code, variable, fatal } of problems) this.#note(code, node, fatal, variable);
    for (const input of inputs) this.#inputs.set(input.id, input);
    const foreign = foreignVariable(written);
    if (foreign !== undefined) this.#note('unsupportedVariable', node, false, foreign);
    return text;
  }

  #isWrong(key: string): boolean {
    const node = this.#values.get(key);
    return node !== undefined && this.#condemned.has(node);
  }

  #note(code: ProblemCode, node: Node, fatal: boolean, detail?: string): void {
    if (fatal) this.#condemned.add(node);
    const facts = { server: this.#server, fatal };
    this.#list.add(code, node, detail === undefined ? facts : { ...facts, detail });
  }
}
