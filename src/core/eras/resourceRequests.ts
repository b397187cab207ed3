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
import { CachedList, pagesOf, type SendRequest } from './cachedList';
import type {
  ResourceList,
  ResourceTemplateList,
  ToolResult,
  Completion,
  Revision,
  ServerCapabilities,
} from '../types';
import { listAllSkills, listSkillFolder, type SkillList } from '../skills/skill';

const methodNotFound = -32601;
const noTemplates: ResourceTemplateList = { templates: [], problems: [] };

export interface ResourceWiring {
  readonly send: SendRequest;
  /** Returns how long a result may be cached, in milliseconds. */
  readonly ttlOf: (result: unknown) => number;
}

/** Requests about resources, which differ between eras only in how they are sent. */
export class ResourceRequests {
  readonly #send: SendRequest;
  readonly #resources: CachedList<ResourceList>;
  readonly #templates: CachedList<ResourceTemplateList>;

  constructor({ send, ttlOf }: ResourceWiring) {
    this.#send = send;
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
    return this.#resources.read(this.#send, options);
  }

  /**
   * Many servers with resources have no templates and answer with an error. Any other error of the
   * server, or no answer in time, is a problem of the list: the resources are shown without templates.
   */
  async listTemplates(options: ListOptions | undefined): Promise<ResourceTemplateList> {
    try {
      return await this.#templates.read(this.#send, options);
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
}

function isUnknownMethod(error: unknown): boolean {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === methodNotFound;
}

/** Requests about prompts, which differ between eras only in how they are sent. */
export class PromptRequests {
  readonly #send: SendRequest;
  readonly #get: SendRequest;

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

  list(options: ListOptions | undefined): Promise<PromptList> {
    return this.#list.read(this.#send, options);
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
  readonly #send: SendRequest;
  readonly #hasContext: boolean;
  #mayComplete: boolean;

  /** The first revision declares no such capability, so its servers are tried. */
  constructor(
    send: SendRequest,
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
  readonly #send: SendRequest;

  constructor(send: SendRequest) {
    this.#send = send;
  }

  list(options: RequestOptions | undefined): Promise<SkillList> {
    return listAllSkills(pagesOf(this.#send, 'skills/list', 'skills', options));
  }

  folder(uri: string, options: RequestOptions | undefined): Promise<ResourceList> {
    const method = 'resources/directory/read';
    return listSkillFolder(uri, pagesOf(this.#send, method, 'resources', options, { uri }));
  }
}
