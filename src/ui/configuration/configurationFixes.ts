import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inputIdOf } from '../../host/adding/clientEntry';
import { namesInConfiguration } from '../../host/adding/configurationAdditions';
import { formatOf } from '../../host/configuration/configurationFormats';
import { inputVariable } from '../../host/configuration/inputs';
import { suggestKey } from '../../host/configuration/entryKeys';
import type { ConfigProblem } from '../../host/configuration/serverConfig';
import { internalCommands } from '../../ids';
import { markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import type { ConfigurationDiagnostics } from './configurationDiagnostics';
import {
  addInputEdits,
  namesBeside,
  otherFormatEdits,
  removeEarlierEdits,
  renameKeyEdits,
  replaceTextEdits,
  textAt,
  type TextEdit,
} from '../../host/adding/configurationEdits';
import { configurationSelector } from './configurationLenses';
import { workspaceEditOf } from './fileEdits';
import { inputOf } from './secretMoves';
import { freeName } from '../../core/nearestName';

interface ConfigurationFixesOptions {
  readonly diagnostics: Pick<ConfigurationDiagnostics, 'of'>;
}

/** Quick fixes for the problems of configuration files. */
export class ConfigurationFixes implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #diagnostics: Pick<ConfigurationDiagnostics, 'of'>;
  readonly #subscription: vscode.Disposable;

  constructor({ diagnostics }: ConfigurationFixesOptions) {
    this.#diagnostics = diagnostics;
    this.#subscription = vscode.languages.registerCodeActionsProvider(configurationSelector, this, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    });
  }

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    return this.#diagnostics.of(document.uri).flatMap(({ problem, diagnostic }) => {
      if (diagnostic.range.intersection(range) === undefined) return [];
      const fix = fixes[problem.code]?.(document.getText(), problem);
      if (fix === undefined) return [];
      const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.isPreferred = true;
      if (fix.kind === 'edits') {
        action.edit = workspaceEditOf(document, fix.edits);
      } else {
        const given = [document.uri, markOwnArgument([...problem.path])];
        action.command = {
          title: fix.title,
          command: internalCommands.moveSecret,
          arguments: given,
        };
      }
      return [action];
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

type Fix =
  | { readonly kind: 'edits'; readonly title: string; readonly edits: readonly TextEdit[] }
  | { readonly kind: 'moveSecret'; readonly title: string };

/** Quick fixes by the code of the problem. */
const fixes: Partial<
  Record<ConfigProblem['code'], (text: string, problem: ConfigProblem) => Fix | undefined>
> = {
  literalSecret: (text, { path, source }) => {
    if (textAt(text, path) === undefined) return undefined;
    const title =
      formatOf(source) === 'vscode'
        ? l10n.t('Move to secret storage')
        : l10n.t('Use an environment variable');
    return { kind: 'moveSecret', title };
  },
  unknownInput: (text, { path, source, detail = '' }) => {
    const id = /^\$\{input:(.+)\}$/.exec(detail)?.[1];
    // Only VS Code's format can define inputs.
    if (formatOf(source) !== 'vscode' || id === undefined) return undefined;
    const title = l10n.t('Define input “{0}”', quoted(id));
    return byEdits(title, addInputEdits(text, inputOf(id, String(path.at(-1)))));
  },
  missingVariable: (text, problem) =>
    formatOf(problem.source) === 'vscode'
      ? askForVariable(text, problem)
      : emptyVariable(text, problem),
  unsupportedVariable: (text, { path, source, detail = '' }) => {
    const name = /^(?:\$(?:env:|\()?|%|\{\{ *)([A-Za-z_]\w*)(?:|\)|%| *\}\})$/.exec(detail)?.[1];
    const value = textAt(text, path);
    if (name === undefined || value === undefined) return undefined;
    const own = formatOf(source) === 'vscode' ? `\${env:${name}}` : `\${${name}}`;
    const edits = replaceTextEdits(
      text,
      path,
      value.replace(detail, () => own),
    );
    return byEdits(l10n.t('Use the environment variable “{0}”', own), edits);
  },
  duplicateKey: (text, { offset, detail = '' }) => {
    if (offset === undefined) return undefined;
    const title = l10n.t('Remove this “{0}”, which has no effect', quoted(detail));
    return byEdits(title, removeEarlierEdits(text, offset, detail));
  },
  foreignKey: (text, { path, detail = '' }) => {
    const edits = otherFormatEdits(text, path, detail);
    return byEdits(l10n.t('Rename to “{0}”', detail), edits);
  },
  unknownKey: (text, { path, source }) => {
    const right = suggestKey(path, formatOf(source), namesBeside(text, path));
    if (right === undefined) return undefined;
    return byEdits(l10n.t('Rename to “{0}”', right), renameKeyEdits(text, path, right));
  },
  programElsewhere: (text, { path, detail = '' }) => {
    const title = l10n.t('Use the full path “{0}”', quoted(detail));
    return byEdits(title, replaceTextEdits(text, path, detail));
  },
};

/** Returns `undefined` if there are no edits because the file has changed. */
function byEdits(title: string, edits: readonly TextEdit[]): Fix | undefined {
  return edits.length === 0 ? undefined : { kind: 'edits', title, edits };
}

/** Replaces an environment variable that is not set with an input. */
function askForVariable(text: string, { path, detail = '' }: ConfigProblem): Fix | undefined {
  const name = /^\$\{env:([^{}]+)\}$/.exec(detail)?.[1];
  const value = textAt(text, path);
  // The file with more variables is read before the user is asked.
  if (name === undefined || value === undefined || path.at(-1) === 'envFile') return undefined;
  const id = freeName(inputIdOf(name), namesInConfiguration(text).inputs);
  const title = l10n.t('Ask for “{0}” when the server starts', quoted(name));
  return byEdits(title, [
    ...replaceTextEdits(
      text,
      path,
      value.replaceAll(detail, () => inputVariable(id)),
    ),
    ...addInputEdits(text, inputOf(id, name)),
  ]);
}

/** Gives the variable an empty default, which `.mcp.json` can express. */
function emptyVariable(text: string, { path, detail = '' }: ConfigProblem): Fix | undefined {
  const name = /^\$\{(\w+)\}$/.exec(detail)?.[1];
  const value = textAt(text, path);
  if (name === undefined || value === undefined) return undefined;
  const title = l10n.t('Use an empty value for “{0}” if it is not set', name);
  const filled = value.replaceAll(detail, () => `\${${name}:-}`);
  return byEdits(title, replaceTextEdits(text, path, filled));
}
