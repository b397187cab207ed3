import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { hiddenPlaces, visibleText, type HiddenPlace } from '../../core/visibleText';
import { problemAt, rangeOf } from '../editor/textPlaces';
import type { StoredResult, ResultDocuments } from './resultDocuments';

/** More marks than this would tell the user nothing new. */
const maxPlaces = 100;
/** VS Code gives extensions no text above 50 MB, and searching all of that would take long. */
const maxLookedAtChars = 1024 * 1024;
const maxShownChars = 60;

/**
 * Marks invisible characters in the text of a result, in place and as problems. It also reports
 * where terminal escape sequences were removed.
 */
export class HiddenCharacters implements vscode.Disposable {
  readonly #documents: ResultDocuments;
  readonly #collection = vscode.languages.createDiagnosticCollection('Toolgate hidden characters');
  readonly #decoration = vscode.window.createTextEditorDecorationType({
    before: {
      color: new vscode.ThemeColor('editorWarning.foreground'),
      border: '1px solid',
      margin: '0 1px',
    },
  });
  readonly #disposables: vscode.Disposable[];

  constructor(documents: ResultDocuments) {
    this.#documents = documents;
    this.#disposables = [
      this.#collection,
      this.#decoration,
      vscode.workspace.onDidOpenTextDocument((document) => this.#check(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#check(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) {
          if (documents.find(editor.document.uri) !== undefined) {
            this.#show(editor, placesIn(editor.document));
          }
        }
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #check(document: vscode.TextDocument): void {
    const kept = this.#documents.find(document.uri);
    if (kept === undefined) return;
    const places = placesIn(document);
    const problems = places.map(([range, text]) => {
      const sentence = l10n.t('Hidden characters: {0}', text);
      return problemAt(range, sentence, undefined, vscode.DiagnosticSeverity.Warning);
    });
    this.#collection.set(document.uri, [...escapeProblems(kept, document), ...problems]);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) this.#show(editor, places);
    }
  }

  #show(editor: vscode.TextEditor, places: readonly ShownPlace[]): void {
    const options = places.map(([range, contentText]) => ({
      range,
      renderOptions: { before: { contentText } },
    }));
    editor.setDecorations(this.#decoration, options);
  }
}

/** The range of hidden characters, and the text that is drawn there. */
type ShownPlace = readonly [range: vscode.Range, text: string];

function placesIn(document: vscode.TextDocument): ShownPlace[] {
  const looked = new vscode.Range(new vscode.Position(0, 0), document.positionAt(maxLookedAtChars));
  const text = document.getText(looked);
  return hiddenPlaces(text, maxPlaces).map((place: HiddenPlace) => {
    const hidden = text.slice(place.offset, place.offset + place.length);
    return [rangeOf(document, place), visibleText(hidden, maxShownChars)];
  });
}

/** Escape sequences set colors in terminals. Their removal from a document must be reported. */
function escapeProblems(kept: StoredResult, { uri }: vscode.TextDocument): vscode.Diagnostic[] {
  const part = kept.parts.find(
    (each) => each.kind !== 'link' && uri.path.endsWith(`/${each.documentName}`),
  );
  if (part?.notes.some(({ code }) => code === 'escapesRemoved') !== true) return [];
  const asSent = kept.parts.find(({ notes }) =>
    notes.some(({ code, detail }) => code === 'asSent' && detail === String(part.number)),
  );
  const name = asSent === undefined || asSent.kind === 'link' ? '' : asSent.name;
  const sentence = l10n.t(
    'Terminal escape sequences, such as colors, were removed. “{0}” contains the original text.',
    name,
  );
  const range = new vscode.Range(0, 0, 0, 0);
  return [problemAt(range, sentence, undefined, vscode.DiagnosticSeverity.Information)];
}
