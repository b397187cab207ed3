import * as jsonc from 'jsonc-parser';
import * as vscode from 'vscode';
import { jsonTree } from '../../../host/configuration/jsonTree';
import { assertNever } from '../../../core/errors';
import type { RuleScope, RuleSources } from '../../../host/consent/rules/rule';
import { settings } from '../../../ids';
import { isMachineSettings, isUserSettings } from '../../editor/configurationSources';
import { rangeOf } from '../../editor/textPlaces';

/** Settings files that may contain rules, on any file system. */
export const ruleDocumentSelector: vscode.DocumentSelector = [
  { pattern: '**/settings.json' },
  { pattern: '**/*.code-workspace' },
];

const key = `${settings.section}.${settings.rules}`;

/** The rules in the text of a settings document, saved or not. */
export interface WrittenRules {
  readonly scope: RuleScope;
  /** `undefined` if the document contains none. */
  readonly value: unknown;
  /** Range of the setting's name. Absent if there is no value. */
  readonly keyRange?: vscode.Range;
  /** Returns the range of something below the setting, or of its nearest parent. */
  readonly rangeOf: (path: readonly (string | number)[], isAboutKey: boolean) => vscode.Range;
}

/** Returns true for a settings file of this window. */
export function isRuleDocument({ uri }: vscode.TextDocument): boolean {
  return scopeOf(uri) !== undefined;
}

/** Returns `undefined` if the document is not a settings file of this window. */
export function readRules(document: vscode.TextDocument): WrittenRules | undefined {
  const scope = scopeOf(document.uri);
  if (scope === undefined) return undefined;
  const { root } = jsonTree(document.getText());
  const isNested = isWorkspaceFile(document.uri);
  const holder = isNested ? lastMember(root, 'settings')?.value : root;
  const member = lastMember(holder, key);
  if (member === undefined) {
    return { scope, value: undefined, rangeOf: () => new vscode.Range(0, 0, 0, 0) };
  }
  const { name, value } = member;
  return {
    scope,
    value: jsonc.getNodeValue(value),
    keyRange: rangeOf(document, name),
    rangeOf: (path, isAboutKey) => rangeOf(document, placeOf(member, path, isAboutKey)),
  };
}

/** Returns `saved` with the document's content in place of the saved rules of its scope. */
export function withWritten(saved: RuleSources, { scope, value }: WrittenRules): RuleSources {
  switch (scope.scope) {
    case 'user':
      return { ...saved, user: value };
    case 'machine':
      return { ...saved, machine: value };
    case 'workspace':
      return { ...saved, workspace: value };
    case 'folder': {
      const { folder } = scope;
      const folders = saved.folders.map((each) =>
        each.folder === folder ? { ...each, value } : each,
      );
      return { ...saved, folders };
    }
    default:
      return assertNever(scope.scope);
  }
}

function scopeOf(uri: vscode.Uri): RuleScope | undefined {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  if (isWorkspaceFile(uri)) {
    return workspaceFile?.toString() === uri.toString() ? { scope: 'workspace' } : undefined;
  }
  if (!uri.path.endsWith('/settings.json')) return undefined;
  const folder = workspaceFolders.find(
    (each) =>
      vscode.Uri.joinPath(each.uri, '.vscode', 'settings.json').toString() === uri.toString(),
  );
  if (folder !== undefined) {
    return workspaceFile === undefined
      ? { scope: 'workspace' }
      : { scope: 'folder', folder: folder.uri.fsPath };
  }
  if (isMachineSettings(uri)) return { scope: 'machine' };
  return isUserSettings(uri) ? { scope: 'user' } : undefined;
}

function isWorkspaceFile({ path }: vscode.Uri): boolean {
  return path.endsWith('.code-workspace');
}

interface Member {
  readonly name: jsonc.Node;
  readonly value: jsonc.Node;
}

/** If a name occurs twice, the last one counts, as in VS Code. */
function lastMember(node: jsonc.Node | undefined, wanted: string): Member | undefined {
  if (node?.type !== 'object') return undefined;
  const found = node.children?.findLast(({ children }) => children?.[0]?.value === wanted);
  const [name, value] = found?.children ?? [];
  return name && value && { name, value };
}

/**
 * Goes as deep as the text does. If the value spans lines, it is the name or the first character.
 */
function placeOf(
  member: Member,
  path: readonly (string | number)[],
  isAboutKey: boolean,
): Pick<jsonc.Node, 'offset' | 'length'> {
  let { value } = member;
  let name: jsonc.Node | undefined = member.name;
  for (const step of path) {
    const next: Partial<Member> | undefined =
      typeof step === 'string'
        ? lastMember(value, step)
        : value.type === 'array'
          ? { ...(value.children?.[step] && { value: value.children[step] }) }
          : undefined;
    if (next?.value === undefined) break;
    ({ value, name } = { value: next.value, name: next.name });
  }
  const isLong = value.type === 'object' || value.type === 'array';
  if (name !== undefined && (isAboutKey || isLong)) return name;
  return isLong ? { offset: value.offset, length: 1 } : value;
}
