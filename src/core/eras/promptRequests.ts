import type { PromptArguments, RequestOptions } from '../client';
import {
  listAllPrompts,
  parsePromptPage,
  parsePromptResult,
  type PromptList,
} from '../parse/parsePrompts';
import type { ToolResult } from '../types';
import type { ResourceWiring } from './resourceRequests';

/** Requests about prompts, which differ between eras only in how they are sent. */
export class PromptRequests {
  readonly #send: ResourceWiring['send'];

  constructor(send: ResourceWiring['send']) {
    this.#send = send;
  }

  /** Not cached, because it is rarely requested twice. */
  list(options: RequestOptions | undefined): Promise<PromptList> {
    return listAllPrompts((cursor) =>
      this.#send('prompts/list', cursor === undefined ? {} : { cursor }, parsePromptPage, options),
    );
  }

  get(
    name: string,
    args: PromptArguments | undefined,
    options: RequestOptions | undefined,
  ): Promise<ToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#send('prompts/get', params, parsePromptResult, options);
  }
}
