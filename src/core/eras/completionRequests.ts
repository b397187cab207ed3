import type { CompletionRequest, RequestOptions } from '../client';
import { noCompletion, parseCompletion } from '../parse/parseResources';
import { isUnknownMethod } from './resourceRequests';
import type { ResourceWiring } from './resourceRequests';
import type { Completion, Revision, ServerCapabilities } from '../types';

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
