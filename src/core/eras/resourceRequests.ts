import type {
  CallOptions,
  ListOptions,
  PromptArguments,
  CompletionRequest,
  RequestOptions,
} from '../client';
import { isMcpError } from '../errors';
import {
  listAllResources,
  listAllTemplates,
  noCompletion,
  parseCompletion,
  listAllPrompts,
  parsePromptResult,
  type PromptList,
} from '../parse/promptsAndResources';
import type { RequestParams } from '../rpc/rpc';
import { CachedList } from './cachedList';
import type {
  ListProblem,
  ResourceList,
  ResourceTemplateList,
  ToolResult,
  Completion,
  Revision,
  ServerCapabilities,
} from '../types';
import { parseListPage } from '../parse/parseResults';
import { listAllSkills, listSkillFolder, type SkillList } from '../skills/skill';

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

  /**
   * Many servers with resources have no templates and answer with an error. Any other error of the
   * server, or no answer in time, is a problem of the list: the resources are shown without templates.
   */
  async listTemplates(options: ListOptions | undefined): Promise<ResourceTemplateList> {
    try {
      return await this.#list(this.#templates, options);
    } catch (error) {
      if (isUnknownMethod(error)) {
        this.#templates.keep(noTemplates);
        return noTemplates;
      }
      if (!isMcpError(error, 'serverError') && !isMcpError(error, 'timeout')) throw error;
      return { templates: [], problems: [{ code: 'pageFailed', detail: error.message }] };
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

function isUnknownMethod(error: unknown): boolean {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === methodNotFound;
}

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

/** Requests for completions, which differ between revisions only in what may be sent along. */
export class CompletionRequests {
  readonly #send: ResourceWiring['send'];
  readonly #hasContext: boolean;
  #mayComplete: boolean;

  /** The first revision declares no such capability, so its servers are tried. */
  constructor(
    send: ResourceWiring['send'],
    { capabilities, revision }: { capabilities: ServerCapabilities; revision: Revision },
  ) {
    this.#send = send;
    this.#mayComplete = capabilities.completions || revision === '2024-11-05';
    this.#hasContext = revision !== '2024-11-05' && revision !== '2025-03-26';
  }

  /** Spec: 2026-07-28 server/utilities/completion */
  async complete(
    { of, argument: name, value, known }: CompletionRequest,
    options: RequestOptions | undefined,
  ): Promise<Completion> {
    if (!this.#mayComplete) return noCompletion;
    const hasKnown = this.#hasContext && Object.keys(known).length > 0;
    const params = {
      ref:
        'prompt' in of
          ? { type: 'ref/prompt', name: of.prompt }
          : { type: 'ref/resource', uri: of.uriTemplate },
      argument: { name, value },
      ...(hasKnown ? { context: { arguments: known } } : {}),
    };
    try {
      return await this.#send('completion/complete', params, parseCompletion, options);
    } catch (error) {
      if (!isUnknownMethod(error)) throw error;
      this.#mayComplete = false;
      return noCompletion;
    }
  }
}

/**
 * The requests that list skills and their folders. Their files are resources. Nothing is cached,
 * because no notification says that skills changed. Spec: SEP-2640
 */
export class SkillRequests {
  readonly #send: ResourceWiring['send'];

  constructor(send: ResourceWiring['send']) {
    this.#send = send;
  }

  list(options: RequestOptions | undefined): Promise<SkillList> {
    return listAllSkills((cursor) =>
      this.#send('skills/list', cursor === undefined ? {} : { cursor }, parseSkills, options),
    );
  }

  folder(uri: string, options: RequestOptions | undefined): Promise<ResourceList> {
    return listSkillFolder(uri, (cursor) => {
      const params = cursor === undefined ? { uri } : { uri, cursor };
      return this.#send('resources/directory/read', params, parseChildren, options);
    });
  }
}

const parseSkills = (result: unknown) => parseListPage(result, 'skills');
const parseChildren = (result: unknown) => parseListPage(result, 'resources');
