import { getLocation } from 'jsonc-parser';
import * as vscode from 'vscode';
import { expectKeys } from '../../core/callFiles/parseExpectation';
import { callKeys, callSections } from '../../core/callFiles/parseCallFile';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isJsonObject } from '../../core/json/shapes';
import { isProposableName, toSchemaGuide } from '../../core/schema/schemaGuide';
import type { ServerRegistry } from '../../host/connections/registry';
import { rangeOf } from '../editor/textPlaces';
import { callAt, holdsCalls, readDocument, runbookSelector } from './callFileDocuments';

const maxNames = 500;
const maxValueChars = 200;

/**
 * Completes servers, tools, names and values of arguments in the call blocks of Markdown files. In
 * call files, VS Code's JSON language service does so.
 */
export class RunbookProposals implements vscode.CompletionItemProvider, vscode.Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly #registration: vscode.Disposable;

  constructor(registry: Pick<ServerRegistry, 'servers' | 'find'>) {
    this.#registry = registry;
    this.#registration = vscode.languages.registerCompletionItemProvider(
      runbookSelector,
      this,
      '"',
      ':',
    );
  }

  provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.CompletionItem[] {
    if (!holdsCalls(document)) return [];
    const at = document.offsetAt(position);
    const block = readDocument(document).blocks.find(
      ({ offset, text }) => offset <= at && at <= offset + text.length,
    );
    if (block === undefined) return [];
    const { path, previousNode, isAtPropertyKey } = getLocation(block.text, at - block.offset);
    const names = pathInCall(path);
    const found = this.#proposals(document, position, names, isAtPropertyKey);
    const range =
      previousNode === undefined || previousNode.offset > at - block.offset
        ? new vscode.Range(position, position)
        : rangeOf(document, { ...previousNode, offset: block.offset + previousNode.offset });
    const isBegun = isAtPropertyKey && /^\s*:/.test(block.text.slice(endOf(previousNode)));
    return found.slice(0, maxNames).map((value) => {
      const text = JSON.stringify(value);
      const kind = isAtPropertyKey
        ? vscode.CompletionItemKind.Property
        : vscode.CompletionItemKind.Value;
      const item = new vscode.CompletionItem(text, kind);
      item.insertText = isAtPropertyKey && !isBegun ? `${text}: ` : text;
      item.filterText = text;
      item.range = range;
      return item;
    });
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #proposals(
    document: vscode.TextDocument,
    position: vscode.Position,
    path: readonly (string | number)[],
    isAtKey: boolean,
  ): readonly JsonValue[] {
    const { server, tool } = callAt(document, position) ?? {};
    const [first, second] = path;
    const tools = (server === undefined ? undefined : this.#registry.find(server))?.tools ?? [];
    const usable = tools.filter((entry) => entry.tool.callable && entry.isDisabled !== true);
    if (path.length === 1 && isAtKey) return [...callKeys, 'inputs', ...callSections];
    if (path.length === 1 && first === 'server') {
      return this.#registry.servers.map(({ config }) => config.id).filter(isProposableName);
    }
    if (path.length === 1 && first === 'tool') {
      return usable.map((entry) => entry.tool.name).filter(isProposableName);
    }
    if (path.length !== 2) return [];
    if (first === 'expect' && isAtKey) return expectKeys;
    if (first !== 'arguments') return [];
    const schema = usable.find((entry) => entry.tool.name === tool)?.tool.inputSchema;
    const guide = schema === undefined ? undefined : toSchemaGuide(schema);
    const properties = guide?.['properties'];
    if (!isJsonObject(properties)) return [];
    if (isAtKey) return Object.keys(properties);
    const property = typeof second === 'string' ? properties[second] : undefined;
    return isJsonObject(property) ? valuesOf(property) : [];
  }
}

/** Collects proposed values from the examples, the default and the snippets of a schema. */
function valuesOf({
  examples,
  default: preset,
  defaultSnippets,
}: JsonObject): readonly JsonValue[] {
  const snippets = Array.isArray(defaultSnippets) ? defaultSnippets.filter(isJsonObject) : [];
  const all = [
    ...snippets.flatMap(({ label, body }) =>
      // Other snippets contain placeholders.
      body !== undefined && JSON.stringify(body) === label ? [body] : [],
    ),
    ...(Array.isArray(examples) ? examples : []),
    ...(preset === undefined ? [] : [preset]),
  ];
  const texts = new Map(all.map((value) => [JSON.stringify(value), value]));
  return [...texts].flatMap(([text, value]) => (text.length <= maxValueChars ? [value] : []));
}

/** Returns the path relative to the call, whether the block names its calls or is a single call. */
function pathInCall(path: readonly (string | number)[]): readonly (string | number)[] {
  const isNamed = callSections.some((section) => section === path[0]) && path.length > 2;
  return isNamed ? path.slice(2) : path;
}

function endOf(node: { readonly offset: number; readonly length: number } | undefined): number {
  return node === undefined ? 0 : node.offset + node.length;
}
