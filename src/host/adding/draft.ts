/** An entry of `servers` as `.vscode/mcp.json` has it; nothing that this format does not know. */
export interface DraftEntry {
  readonly type?: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | number | null>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An item of `inputs` as `.vscode/mcp.json` has it. */
export interface DraftInput {
  readonly id: string;
  readonly type: 'promptString' | 'pickString';
  readonly description?: string;
  readonly default?: string;
  readonly password?: boolean;
  readonly options?: readonly string[];
}

/** What the person should know about a draft before it is written; sentences are made in ui/. */
export type DraftNote =
  /** Keys that mean nothing here; among them may be permissions, which are never taken over. */
  | { readonly kind: 'leftOut'; readonly keys: readonly string[] }
  | { readonly kind: 'disabled' }
  /** `docker run` without `-i` cannot be talked to. */
  | { readonly kind: 'notInteractive' }
  /** `${VAR:-default}`: the default is not taken over. */
  | { readonly kind: 'defaultLost'; readonly variables: readonly string[] };

/** A server as it was pasted, imported or linked to. Untrusted, and nothing is written yet. */
export interface ServerDraft {
  /** A suggestion; absent where nothing suggests one. */
  readonly name?: string;
  readonly entry: DraftEntry;
  readonly inputs: readonly DraftInput[];
  readonly notes: readonly DraftNote[];
}

/** The entry alone, without inputs and notes. */
export function plainDraft(entry: DraftEntry, name?: string): ServerDraft {
  return { entry, inputs: [], notes: [], ...(name === undefined ? {} : { name }) };
}
