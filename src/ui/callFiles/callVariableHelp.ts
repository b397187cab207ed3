import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { parseTemplate, type Variable } from '../../core/callFiles/callFileVariables';
import { assertNever } from '../../core/errors';
import { callAt, callsSelector, holdsCalls, readDocument } from './callFileDocuments';
import type { Environments } from './environments';

/** Longer lines are ignored. */
const maxLineChars = 20_000;
const maxNames = 200;

interface Proposal {
  readonly text: string;
  readonly detail: string;
  /** Snippet with placeholders, inserted in place of the text. */
  readonly snippet?: string;
}

/** Completes variables after `${` in call files and runbooks, and explains them on hover. */
export class CallVariableHelp
  implements vscode.CompletionItemProvider, vscode.HoverProvider, vscode.Disposable
{
  readonly #environments: Pick<Environments, 'variables'>;
  readonly #registrations: vscode.Disposable;

  constructor(environments: Pick<Environments, 'variables'>) {
    this.#environments = environments;
    this.#registrations = vscode.Disposable.from(
      vscode.languages.registerCompletionItemProvider(callsSelector, this, '{', ':', '.'),
      vscode.languages.registerHoverProvider(callsSelector, this),
    );
  }

  provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.CompletionItem[] {
    const line = lineAt(document, position);
    const before = line.slice(0, position.character);
    const begin = before.lastIndexOf('${');
    const isOpen = begin >= 0 && before[begin - 1] !== '$' && !before.includes('}', begin);
    if (!isOpen || callAt(document, position) === undefined) return [];
    // The text from the cursor to the closing brace belongs to the variable.
    const [rest = ''] = /^[^"{}\s]*\}?/.exec(line.slice(position.character)) ?? [];
    const isClosed = rest.endsWith('}');
    const end = isClosed ? position.translate(0, rest.length) : position;
    const range = new vscode.Range(position.with(undefined, begin), end);
    return this.#proposals(document, position).map(({ text, detail, snippet }, index) => {
      const item = new vscode.CompletionItem(text, vscode.CompletionItemKind.Variable);
      item.detail = detail;
      item.insertText = new vscode.SnippetString(snippet ?? escaped(text));
      item.filterText = text;
      item.range = range;
      item.sortText = String(index).padStart(4, '0');
      return item;
    });
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    if (callAt(document, position) === undefined) return undefined;
    const line = lineAt(document, position);
    for (const { index, 0: text } of line.matchAll(/\$\{[^{}"]*\}/g)) {
      if (index > position.character || index + text.length < position.character) continue;
      if (line[index - 1] === '$') continue;
      const [variable] = parseTemplate(text).pieces;
      if (typeof variable !== 'object') return undefined;
      const range = new vscode.Range(
        position.with(undefined, index),
        position.with(undefined, index + text.length),
      );
      const meaning = new vscode.MarkdownString();
      // Names from the file are added as plain text, not as Markdown.
      meaning.appendText(meaningOf(variable));
      return new vscode.Hover(meaning, range);
    }
    return undefined;
  }

  dispose(): void {
    this.#registrations.dispose();
  }

  #proposals(document: vscode.TextDocument, position: vscode.Position): readonly Proposal[] {
    const { file, outline } = readDocument(document);
    const own = callAt(document, position)?.name;
    const order = outline.calls.findIndex(({ name }) => name === own);
    const earlier = outline.calls.slice(0, Math.max(order, 0)).map(({ name }) => name);
    const known = (kind: 'input' | 'var', names: Iterable<string>, detail: string) =>
      [...names].slice(0, maxNames).map((name) => ({ text: `\${${kind}:${name}}`, detail }));
    return [
      ...earlier.slice(-maxNames).map((name) => ({
        text: `\${calls.${name}.structuredContent./}`,
        detail: l10n.t('from the result of an earlier call'),
        snippet: `${escaped(`\${calls.${name}.structuredContent./`)}$1\\}`,
      })),
      ...known('input', file?.inputs.keys() ?? [], l10n.t('a value that the user enters')),
      ...known('var', this.#environments.variables(), l10n.t('from the selected environment')),
      ...generated().map(({ text, detail }) => ({ text, detail })),
      {
        text: '${env:}',
        detail: l10n.t('an environment variable'),
        snippet: '\\${env:$1\\}',
      },
      { text: '${workspaceFolder}', detail: l10n.t('the open folder') },
      { text: '${file}', detail: l10n.t('the file that was open before') },
      { text: '${selectedText}', detail: l10n.t('the selection in that file') },
    ];
  }
}

function generated(): readonly Proposal[] {
  return [
    { text: '${uuid}', detail: l10n.t('a new UUID') },
    { text: '${now}', detail: l10n.t('the current time, as 2026-01-31T12:00:00.000Z') },
    { text: '${now:date}', detail: l10n.t('the current date in UTC, as 2026-01-31') },
    { text: '${now:+1d}', detail: l10n.t('this time tomorrow; also ms, s, m, h, w') },
    { text: '${now:unix}', detail: l10n.t('seconds since 1970, a number') },
    { text: '${now:unixMs}', detail: l10n.t('milliseconds since 1970, a number') },
    { text: '${now:rfc1123}', detail: l10n.t('the current time, as in HTTP headers') },
    { text: '${random:1..6}', detail: l10n.t('an integer, both ends included') },
    { text: '${random:text 8}', detail: l10n.t('that many letters and digits') },
  ];
}

function meaningOf(variable: Variable): string {
  switch (variable.kind) {
    case 'generated':
      return l10n.t(
        'Generated once for each run and call; the approval shows the value that is sent.',
      );
    case 'env':
      return l10n.t('Environment variable. A call that uses one always asks.');
    case 'input':
      return l10n.t('Value that the user enters, once for each window and file.');
    case 'var':
      return l10n.t('Value from the environment that is selected in the status bar.');
    case 'workspaceFolder':
      return l10n.t('The open folder.');
    case 'file':
      return l10n.t('The file that was open before the call file.');
    case 'selectedText':
      return l10n.t('The selection in the editor that was open before the call file.');
    case 'call':
      return l10n.t('Value from the last result of the call “{0}”.', variable.name);
    default:
      return assertNever(variable);
  }
}

/** Returns an empty string for documents without calls and for overlong lines. */
function lineAt(document: vscode.TextDocument, { line }: vscode.Position): string {
  const { text } = document.lineAt(line);
  return holdsCalls(document) && text.length <= maxLineChars ? text : '';
}

/** Escapes text for a snippet. */
function escaped(text: string): string {
  return text.replaceAll(/[\\$}]/g, String.raw`\$&`);
}
