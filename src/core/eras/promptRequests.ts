import type { CallOptions, ListOptions, PromptArguments } from '../client';
import { listAllPrompts, parsePromptResult, type PromptList } from '../parse/parsePrompts';
import type { ToolResult } from '../types';
import { CachedList } from './cachedList';
import type { ResourceWiring } from './resourceRequests';

/** Requests about prompts, which differ between eras only in how they are sent. */
export class PromptRequests {
  readonly #send: ResourceWiring['send'];
  readonly #get: ResourceWiring['send'];

  readonly #list: CachedList<PromptList>;

  /** @param get sends `prompts/get`, which may be answered with questions first */
  constructor({ send, ttlOf }: ResourceWiring, get = send) {
    this.#send = send;
    this.#get = get;
    this.#list = new CachedList({
      method: 'prompts/list',
      key: 'prompts',
      ttlOf,
      listAll: listAllPrompts,
    });
  }

  async list(options: ListOptions | undefined): Promise<PromptList> {
    const known = options?.isRefresh === true ? undefined : this.#list.current;
    return known ?? this.#list.load((...page) => this.#send(...page, options));
  }

  listChanged(): void {
    this.#list.changed();
  }

  get(
    name: string,
    args: PromptArguments | undefined,
    options: CallOptions | undefined,
  ): Promise<ToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#get('prompts/get', params, parsePromptResult, options);
  }
}
