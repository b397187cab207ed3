import type { PromptArguments, RequestOptions } from '../client';
import {
  listAllPrompts,
  parsePromptPage,
  parsePromptResult,
  type PromptList,
} from '../parse/parsePrompts';
import type { ToolResult } from '../types';
import type { ResourceWiring } from './resourceRequests';

/** The requests about prompts, which are the same in every era but for how they are sent. */
export class PromptRequests {
  readonly #send: ResourceWiring['send'];

  constructor(send: ResourceWiring['send']) {
    this.#send = send;
  }

  /** Keeps no list: nobody asks for it twice. */
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
