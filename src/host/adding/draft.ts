/** An entry of `servers` in the format of `.vscode/mcp.json`, without unknown keys. */
export interface DraftEntry {
  readonly type?: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | number | null>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The only tools to offer. */
  readonly tools?: readonly string[];
}

/** An item of `inputs` in the format of `.vscode/mcp.json`. */
export interface DraftInput {
  readonly id: string;
  readonly type: 'promptString' | 'pickString';
  readonly description?: string;
  readonly default?: string;
  readonly password?: boolean;
  readonly options?: readonly string[];
}

/** A note to show before a draft is written. `ui` makes the sentences. */
export type DraftNote =
  /** Unsupported keys. They may include permissions, which are never imported. */
  | { readonly kind: 'leftOut'; readonly keys: readonly string[] }
  | { readonly kind: 'disabled' }
  /** `docker run` without `-i` receives no input. */
  | { readonly kind: 'notInteractive' }
  /** `${VAR:-default}`: the default is lost. */
  | { readonly kind: 'defaultLost'; readonly variables: readonly string[] };

/** A server that was pasted, imported or linked. It is untrusted and not written yet. */
export interface ServerDraft {
  /** A suggested name, if there is one. */
  readonly name?: string;
  readonly entry: DraftEntry;
  readonly inputs: readonly DraftInput[];
  readonly notes: readonly DraftNote[];
}

/** Makes a draft of an entry alone, without inputs and notes. */
export function plainDraft(entry: DraftEntry, name?: string): ServerDraft {
  return { entry, inputs: [], notes: [], ...(name === undefined ? {} : { name }) };
}
