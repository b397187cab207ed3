import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { maxCalls, timeoutBoundsMs } from '../../core/callFiles/parseCallFile';
import { isProposableName, toSchemaGuide } from '../../core/schema/schemaGuide';
import type { JsonObject } from '../../core/json/jsonValue';
import { visibleText } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { callFileScheme, callFileSchemaPath } from '../../ids';
import { Debouncer } from '../editor/debouncer';
import { toolTitle } from '../format/toolTitle';
import { expectSchema, answersSchema } from './expectSchema';
import { isCallFile, openCallFiles, readDocument } from './callFileDocuments';

const quietMs = 300;
/** Limits the schemas, because the language service processes all of them for each call. */
const maxNamed = 200;
const maxNames = 2_000;
const maxToolTextChars = 300;
/** Maximum number of choices in a snippet placeholder. */
const maxChoices = 50;

interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * JSON schemas for call files with live content, with which VS Code's JSON language service
 * completes servers, tools and arguments. They report no problems; Toolgate's own diagnostics do,
 * because they know variables.
 */
export class CallFileSchemas implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly #subscriptions: vscode.Disposable;
  /** Contents that the language service has received, by URI. */
  readonly #given = new Map<string, string>();
  readonly #quiet = new Debouncer(() => this.#renew(), quietMs);

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(registry: Pick<ServerRegistry, 'servers' | 'find' | 'onDidChange'>) {
    this.#registry = registry;
    const later = (): void => this.#quiet.start();
    const laterIfOurs = (document: vscode.TextDocument): void => {
      if (isCallFile(document)) later();
    };
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(callFileScheme, this),
      registry.onDidChange(later),
      vscode.workspace.onDidOpenTextDocument(laterIfOurs),
      vscode.workspace.onDidChangeTextDocument(({ document }) => laterIfOurs(document)),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const text = this.#textOf(uri);
    this.#given.set(uri.toString(), text);
    return text;
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscriptions.dispose();
    this.#onDidChange.dispose();
  }

  #renew(): void {
    for (const [key, text] of this.#given) {
      const uri = vscode.Uri.parse(key);
      if (this.#textOf(uri) !== text) this.#onDidChange.fire(uri);
    }
  }

  #textOf({ path }: vscode.Uri): string {
    if (path === callFileSchemaPath) {
      const ids = this.#registry.servers.map(({ config }) => config.id);
      return JSON.stringify(formatSchema(this.#callSchema(), ids));
    }
    const named = toNamed(path);
    const entry = named === undefined ? undefined : this.#find(named);
    return JSON.stringify((entry && toSchemaGuide(entry.tool.inputSchema)) ?? {});
  }

  #callSchema(): JsonObject {
    const ids = this.#registry.servers.map(({ config }) => config.id).filter(isProposableName);
    const named = namedTools();
    const servers = [...new Set(named.map(({ server }) => server))];
    return {
      type: 'object',
      properties: callProperties(ids),
      allOf: [
        ...servers.map((server) => when({ server }, { tool: this.#toolSchema(server) })),
        ...named
          .filter((one) => this.#find(one) !== undefined)
          .map((one) => when({ ...one }, { arguments: { $ref: guideUri(one).toString(true) } })),
      ],
    };
  }

  #toolSchema(server: string): JsonObject {
    const tools = (this.#registry.find(server)?.tools ?? [])
      .filter(
        ({ tool, isDisabled }) =>
          tool.callable && isDisabled !== true && isProposableName(tool.name),
      )
      .slice(0, maxNames);
    if (tools.length === 0) return {};
    const names = tools.map(({ tool }) => tool.name);
    return { anyOf: [{ enum: names, enumDescriptions: tools.map(formatToolText) }, {}] };
  }

  #find({ server, tool: name }: NamedTool): ToolEntry | undefined {
    const tools = this.#registry.find(server)?.tools ?? [];
    return tools.find(({ tool }) => tool.name === name && tool.callable);
  }
}

/** Returns the tools that open files call, including calls that are still incomplete. */
function namedTools(): readonly NamedTool[] {
  const named = new Map<string, NamedTool>();
  for (const document of openCallFiles()) {
    for (const { server, tool } of readDocument(document).outline.calls) {
      if (server === undefined || named.size >= maxNamed) continue;
      named.set(JSON.stringify([server, tool ?? '']), { server, tool: tool ?? '' });
    }
  }
  return [...named.values()];
}

/** Encodes the names, so that the path contains only plain characters. */
function guideUri({ server, tool }: NamedTool): vscode.Uri {
  const key = Buffer.from(JSON.stringify([server, tool])).toString('base64url');
  return vscode.Uri.from({ scheme: callFileScheme, authority, path: `${guidePath}${key}` });
}

const authority = 'schemas';
const guidePath = '/arguments/';

function toNamed(path: string): NamedTool | undefined {
  if (!path.startsWith(guidePath)) return undefined;
  try {
    const text = Buffer.from(path.slice(guidePath.length), 'base64url').toString();
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed)) return undefined;
    const [server, tool]: unknown[] = parsed;
    return typeof server === 'string' && typeof tool === 'string' ? { server, tool } : undefined;
  } catch {
    // Other extensions may request arbitrary URIs.
    return undefined;
  }
}

function when(is: Readonly<Record<string, string>>, then: JsonObject): JsonObject {
  const constants = Object.entries(is).map(([name, value]) => [name, { const: value }]);
  const condition = { properties: Object.fromEntries(constants), required: Object.keys(is) };
  // Uses `else` with a negated condition, because an object with a `then` member would be treated
  // as a promise when awaited.
  return { if: { not: condition }, else: { properties: then } };
}

function formatToolText({ tool }: ToolEntry): string {
  const { description } = tool;
  const title = toolTitle(tool);
  return description === undefined
    ? title
    : `${title}: ${visibleText(description, maxToolTextChars)}`;
}

function callProperties(servers: readonly string[]): JsonObject {
  return {
    server: {
      description: l10n.t('Name of the configured server.'),
      ...(servers.length === 0 ? {} : { anyOf: [{ enum: servers }, {}] }),
      ...(servers.length === 1 && servers.every(isPlainInSnippet)
        ? valueOf(servers.map((id) => JSON.stringify(id)).join())
        : {}),
    },
    tool: { description: l10n.t('Name of the tool.') },
    resource: { description: l10n.t('URI of a resource to read instead of calling a tool.') },
    prompt: { description: l10n.t('Name of a prompt to get instead of calling a tool.') },
    arguments: {
      description: l10n.t(
        'Arguments of the call. Strings can contain variables such as ${env:NAME}, ${input:name}, ${var:name}, ${uuid}, ${now}, ${random:1..6}, ${workspaceFolder}, ${file}, ${selectedText} and ${calls.name.structuredContent./pointer}.',
      ),
      ...valueOf('{}', '{$1}'),
    },
    send: {
      description: l10n.t(
        '"asIs" sends the arguments without validating them against the schema of the tool.',
      ),
      ...valueOf('"asIs"'),
    },
    answers: { ...answersSchema(), ...valueOf('[]', '[$1]') },
    timeout: {
      description: l10n.t(
        'Time limit of the call, in milliseconds ({0} to {1}). Default: the limit in the settings.',
        timeoutBoundsMs.minimum,
        timeoutBoundsMs.maximum,
      ),
      ...valueOf('60000', '${1:60000}'),
    },
    expect: { ...expectSchema(), ...valueOf('{}', '{$1}') },
  };
}

/**
 * Snippet that inserts a value together with the property name, and is also proposed as the value.
 */
function valueOf(label: string, text = label): JsonObject {
  // After `^`, the body is inserted verbatim instead of as JSON.
  return { defaultSnippets: [{ label, body: `^${text}` }] };
}

/** Other characters may have a meaning in snippet syntax. */
function isPlainInSnippet(name: string): boolean {
  return /^[\w.-]{1,100}$/.test(name);
}

/** Placeholder that offers the servers as choices. */
function placeholderOf(servers: readonly string[], stop: number): string {
  const plain = servers.filter(isPlainInSnippet).slice(0, maxChoices);
  return plain.length === 0 ? `$${stop}` : `\${${stop}|${plain.join()}|}`;
}

/** Snippets for an empty file. */
function wholeFiles(servers: readonly string[]): readonly JsonObject[] {
  const callOf = (first: number): JsonObject => ({
    server: placeholderOf(servers, first),
    tool: `$${first + 1}`,
    arguments: `^{$${first + 2}}`,
  });
  return [
    {
      label: l10n.t('Call of a Tool'),
      description: l10n.t('A file with one call.'),
      body: callOf(1),
    },
    {
      label: l10n.t('Named Calls'),
      description: l10n.t('A file with several calls.'),
      body: { calls: { '${1:first}': callOf(2) } },
    },
  ];
}

function phaseProperties(): JsonObject {
  const additionalProperties = { $ref: '#/definitions/call' };
  return {
    before: {
      description: l10n.t('Setup calls. If one of them fails, no other call runs.'),
      additionalProperties,
    },
    after: {
      description: l10n.t(
        'Cleanup calls. They run at the end, even if other calls fail or the run is cancelled.',
      ),
      additionalProperties,
    },
  };
}

function formatSchema(call: JsonObject, servers: readonly string[]): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    allowTrailingCommas: true,
    type: 'object',
    defaultSnippets: wholeFiles(servers),
    properties: {
      calls: {
        description: l10n.t('Calls by name, at most {0}.', maxCalls),
        ...valueOf('{}', '{$1}'),
        additionalProperties: { $ref: '#/definitions/call' },
      },
      ...phaseProperties(),
      inputs: {
        description: l10n.t('Definition of ${input:name}.'),
        additionalProperties: {
          properties: {
            description: { description: l10n.t('Question for the user.') },
            password: {
              description: l10n.t('Masked, and kept in secret storage until you forget it.'),
              anyOf: [{ enum: [true, false] }, {}],
            },
          },
        },
      },
    },
    if: { required: ['calls'] },
    else: { $ref: '#/definitions/call' },
    definitions: { call },
  };
}
