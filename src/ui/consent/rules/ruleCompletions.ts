import * as jsonc from 'jsonc-parser';
import * as vscode from 'vscode';
import { hasInvisibleCharacters, visibleText } from '../../../core/visibleText';
import { jsonTree } from '../../../host/configuration/jsonTree';
import { fitsGlob, parseGlob } from '../../../host/consent/rules/glob';
import type { ServerRegistry } from '../../../host/connections/registry';
import { settings } from '../../../ids';
import { rangeOf } from '../../editor/textPlaces';
import { formatRisk } from '../../format/formatRisk';
import { formatSource } from '../../format/sentencesOfProblems';

const key = `${settings.section}.${settings.rules}`;
const maxDetailChars = 100;
/** Longer lists are not useful. */
const maxNames = 1_000;

/** A position in the rules at which a name is expected. */
interface NamePlace {
  readonly part: 'server' | 'tool';
  /** The text to replace, including quotes. Empty if there is none. */
  readonly range: vscode.Range;
  /** The server that the same rule names. */
  readonly server?: string;
}

/** Completes names of servers and tools in rules of a settings file. */
export class RuleCompletions implements vscode.CompletionItemProvider {
  readonly #registry: Pick<ServerRegistry, 'servers'>;

  constructor(registry: Pick<ServerRegistry, 'servers'>) {
    this.#registry = registry;
  }

  provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.CompletionItem[] {
    const place = namePlace(document, position);
    if (place === undefined) return [];
    const names = place.part === 'server' ? this.#servers() : this.#tools(place.server);
    return [...names].slice(0, maxNames).map(([name, detail]) => {
      const text = JSON.stringify(name);
      const item = new vscode.CompletionItem(text, vscode.CompletionItemKind.Value);
      item.detail = visibleText(detail, maxDetailChars);
      item.range = place.range;
      item.filterText = text;
      return item;
    });
  }

  #servers(): ReadonlyMap<string, string> {
    return named(
      this.#registry.servers.map(({ config }) => [config.id, formatSource(config.source)]),
    );
  }

  #tools(server: string | undefined): ReadonlyMap<string, string> {
    const glob = server === undefined ? undefined : parseGlob(server);
    const fitting = this.#registry.servers.filter(
      ({ config }) => glob === undefined || fitsGlob(glob, config.id, true),
    );
    return named(
      fitting.flatMap(({ config, tools }) =>
        tools.map(
          ({ tool, risk }) => [tool.name, `${config.label} · ${formatRisk(risk)}`] as const,
        ),
      ),
    );
  }
}

/**
 * Lists each name once. Names that cannot be displayed, and names that would be patterns, are left
 * out.
 */
function named(all: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map(
    all
      .filter(([name]) => parseGlob(name) !== undefined && !/[*?]/.test(name))
      .filter(([name]) => !hasInvisibleCharacters(name)),
  );
}

function namePlace(
  document: vscode.TextDocument,
  position: vscode.Position,
): NamePlace | undefined {
  const text = document.getText();
  const offset = document.offsetAt(position);
  const { path, isAtPropertyKey, previousNode } = jsonc.getLocation(text, offset);
  // In a workspace file the settings are one level deeper.
  const start = path[0] === 'settings' ? 1 : 0;
  const [setting, index, part, ...rest] = path.slice(start);
  const isInRule = setting === key && typeof index === 'number' && rest.length === 0;
  if (!isInRule || isAtPropertyKey) return undefined;
  if (part !== 'server' && part !== 'tool') return undefined;
  const isInside =
    previousNode?.type === 'string' &&
    previousNode.offset < offset &&
    offset <= previousNode.offset + previousNode.length;
  const range = isInside ? rangeOf(document, previousNode) : new vscode.Range(position, position);
  const server = serverAt(text, path.slice(0, start + 2));
  return { part, range, ...(server === undefined ? {} : { server }) };
}

function serverAt(text: string, rule: jsonc.JSONPath): string | undefined {
  const { root } = jsonTree(text);
  const found: unknown = root && jsonc.findNodeAtLocation(root, [...rule, 'server'])?.value;
  return typeof found === 'string' && found !== '' ? found : undefined;
}
