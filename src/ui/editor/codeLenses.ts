import * as vscode from 'vscode';

/** VS Code asks earlier than this, unless it is busy. The time doubles with each try. */
const firstTryMs = 1_000;
const maxTries = 5;

export interface CodeLenses extends vscode.Disposable {
  /** Makes VS Code ask for the lenses again. */
  readonly refresh: () => void;
}

/**
 * Registers a provider of code lenses. VS Code asks for the lenses a moment after it has shown a
 * document. If the editor loses the focus before that, VS Code does not ask until the editor has
 * the focus again, so it is told then that the lenses have changed.
 */
export function registerCodeLenses(
  selector: vscode.DocumentSelector,
  provider: Pick<vscode.CodeLensProvider, 'provideCodeLenses'>,
): CodeLenses {
  const changed = new vscode.EventEmitter<void>();
  const refresh = (): void => changed.fire();
  const unasked = new UnaskedDocuments(selector, refresh);
  const all = vscode.Disposable.from(
    changed,
    unasked,
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: (document, token) => {
        unasked.delete(document);
        return provider.provideCodeLenses(document, token);
      },
    }),
  );
  return { refresh, dispose: () => all.dispose() };
}

/** Visible documents whose lenses VS Code did not ask for since it shows them. */
class UnaskedDocuments implements vscode.Disposable {
  readonly #selector: vscode.DocumentSelector;
  readonly #ask: () => void;
  readonly #unasked = new Set<vscode.TextDocument>();
  readonly #subscription: vscode.Disposable;
  #visible: ReadonlySet<vscode.TextDocument> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(selector: vscode.DocumentSelector, ask: () => void) {
    this.#selector = selector;
    this.#ask = ask;
    this.#subscription = vscode.window.onDidChangeVisibleTextEditors((editors) =>
      this.#follow(editors),
    );
    this.#follow(vscode.window.visibleTextEditors);
  }

  delete(document: vscode.TextDocument): void {
    this.#unasked.delete(document);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  #follow(editors: readonly vscode.TextEditor[]): void {
    const documents = editors.map(({ document }) => document);
    const visible = new Set(
      documents.filter((document) => vscode.languages.match(this.#selector, document) > 0),
    );
    for (const document of this.#unasked) if (!visible.has(document)) this.delete(document);
    const shown = [...visible].filter((document) => !this.#visible.has(document));
    for (const document of shown) this.#unasked.add(document);
    this.#visible = visible;
    if (shown.length > 0) this.#askLater(firstTryMs, maxTries);
  }

  #askLater(ms: number, tries: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#unasked.size === 0 || tries === 0) return;
      this.#ask();
      this.#askLater(ms * 2, tries - 1);
    }, ms);
  }
}
