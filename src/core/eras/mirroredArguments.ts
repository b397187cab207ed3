import { findHeaderParams, paramHeaders } from './headerParams';
import type { HeaderParam } from './headerParams';
import type { ConnectionLog } from '../log';
import { extraHeaders } from '../rpc/transport';
import type { RequestParams } from '../rpc/rpc';
import type { Tool } from '../types';

const maxDetailChars = 200;

/** The arguments to mirror into headers for each tool, by the newest list. */
export class MirroredArguments {
  readonly #log: ConnectionLog;
  #byTool = new Map<string, readonly HeaderParam[]>();

  constructor(log: ConnectionLog) {
    this.#log = log;
  }

  /**
   * Takes over a new list. A tool with invalid annotations is returned as not callable; the others
   * are unchanged.
   */
  adopt(tools: readonly Tool[]): readonly Tool[] {
    const byTool = new Map<string, readonly HeaderParam[]>();
    const adopted = tools.map((tool) => {
      if (!tool.callable) return tool;
      const found = findHeaderParams(tool.inputSchema);
      if (found.kind === 'violation') return this.#refuse(tool, found.detail);
      if (found.params.length > 0) byTool.set(tool.name, found.params);
      return tool;
    });
    this.#byTool = byTool;
    return adopted;
  }

  /**
   * Adds the headers to the `params` of a call. Without a list there are none.
   * @throws {McpError} invalidArguments
   */
  withHeaders(params: RequestParams, name: string, args: object | undefined): RequestParams {
    const mirrored = this.#byTool.get(name);
    if (mirrored === undefined) return params;
    return { ...params, [extraHeaders]: paramHeaders(mirrored, args) };
  }

  #refuse(tool: Tool, violation: string): Tool {
    const detail = violation.slice(0, maxDetailChars);
    this.#log.warn(`tool ${tool.name.slice(0, 128)} cannot be called, x-mcp-header: ${detail}`);
    const problem = { code: 'headerAnnotation', detail } as const;
    return { ...tool, callable: false, problems: [...tool.problems, problem] };
  }
}
