import { Emitter } from 'vscode-jsonrpc/node';
import type { CallFacts, RuleMatch, RulePlace } from '../decision';
import { fitsGlob } from './glob';
import type { PastCall } from '../pastCalls';
import { matchRules, type PlaceOfPath } from './matchRules';
import { parseRules, type ParsedRules } from './parseRules';
import { replay, type Replayed } from './replay';
import type { Rule, RuleProblem, RuleSources } from './rule';

export interface RuleBookOptions {
  /** Whether a path leads into the workspace; `cwd` is where the server runs. May reject. */
  readonly placeOfPath: PlaceOfPath;
}

/** The rules as they count now. Until {@link setRules} was called there are none. */
export class RuleBook {
  readonly #options: RuleBookOptions;
  #parsed: ParsedRules = { rules: [], problems: [] };

  readonly #onDidChange = new Emitter<void>();
  /** After every {@link setRules}. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RuleBookOptions) {
    this.#options = options;
  }

  /** In the order user, workspace, folders. */
  get rules(): readonly Rule[] {
    return this.#parsed.rules;
  }

  get problems(): readonly RuleProblem[] {
    return this.#parsed.problems;
  }

  /**
   * Where the rules stand that may let calls of a server run without a question: whoever starts it
   * under this name gives them a meaning.
   */
  allowsFor(serverId: string): readonly RulePlace[] {
    return this.#parsed.rules
      .filter(({ effect }) => effect === 'allow')
      .filter(({ server }) => server === undefined || fitsGlob(server, serverId, false))
      .map(({ place }) => place);
  }

  /** From the next decision on these count; what is wrong with them is in {@link problems}. */
  setRules(sources: RuleSources): void {
    this.#parsed = parseRules(sources);
    this.#onDidChange.fire();
  }

  /**
   * The rules that apply to the call, in their order. Never rejects: what cannot be told lets no
   * allow apply, and every ask and deny.
   */
  matching({ config, entry, arguments: given }: CallFacts): Promise<readonly RuleMatch[]> {
    const { reach } = config;
    const cwd = reach.kind === 'stdio' ? reach.cwd : undefined;
    return matchRules(
      this.#parsed.rules,
      {
        server: config.id,
        tool: entry.tool.name,
        level: entry.risk.level,
        arguments: given,
        ...(cwd === undefined ? {} : { cwd }),
      },
      this.#options.placeOfPath,
    );
  }

  /** What `sources` would say of past calls, where it is not what was said then; see `replay`. */
  tryOn(calls: readonly PastCall[], sources: RuleSources): Promise<readonly Replayed[]> {
    return replay(calls, parseRules(sources).rules, this.#options.placeOfPath);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
