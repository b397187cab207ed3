import type { CallOptions, ListOptions } from '../client';
import { isMcpError } from '../errors';
import { listAllResources, listAllTemplates } from '../parse/parseResources';
import type { RequestParams } from '../rpc/rpc';
import { CachedList } from './cachedList';
import type { ListProblem, ResourceList, ResourceTemplateList } from '../types';

const methodNotFound = -32601;
const noTemplates: ResourceTemplateList = { templates: [], problems: [] };

export interface ResourceWiring {
  readonly send: <T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: CallOptions | undefined,
  ) => Promise<T>;
  /** Returns how long a result may be cached, in milliseconds. */
  readonly ttlOf: (result: unknown) => number;
}

/** Requests about resources, which differ between eras only in how they are sent. */
export class ResourceRequests {
  readonly #wiring: ResourceWiring;
  readonly #resources: CachedList<ResourceList>;
  readonly #templates: CachedList<ResourceTemplateList>;

  constructor(wiring: ResourceWiring) {
    this.#wiring = wiring;
    const { ttlOf } = wiring;
    this.#resources = new CachedList({
      method: 'resources/list',
      key: 'resources',
      ttlOf,
      listAll: listAllResources,
    });
    this.#templates = new CachedList({
      method: 'resources/templates/list',
      key: 'resourceTemplates',
      ttlOf,
      listAll: listAllTemplates,
    });
  }

  list(options: ListOptions | undefined): Promise<ResourceList> {
    return this.#list(this.#resources, options);
  }

  /** Many servers with resources have no templates and answer with an error. */
  async listTemplates(options: ListOptions | undefined): Promise<ResourceTemplateList> {
    try {
      return await this.#list(this.#templates, options);
    } catch (error) {
      if (!isUnknownMethod(error)) throw error;
      this.#templates.keep(noTemplates);
      return noTemplates;
    }
  }

  /** `notifications/resources/list_changed` applies to templates too. */
  listChanged(): void {
    this.#resources.changed();
    this.#templates.changed();
  }

  async #list<List extends { readonly problems: readonly ListProblem[] }>(
    list: CachedList<List>,
    options: ListOptions | undefined,
  ): Promise<List> {
    const fresh = options?.isRefresh === true ? undefined : list.current;
    if (fresh !== undefined) return fresh;
    return list.load((...page) => this.#wiring.send(...page, options));
  }
}

export function isUnknownMethod(error: unknown): boolean {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === methodNotFound;
}
