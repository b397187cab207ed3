import * as vscode from 'vscode';
import { commands } from '../ids';
import type { Inactive } from '../ui/activation/inactive';
import { isCallFile, openCallFiles } from '../ui/callFiles/callFileDocuments';
import { TestExplorer, type TestExplorerOptions } from '../ui/testing/testExplorer';
import { makeTestController } from '../ui/testing/testProfiles';

export type TestingPartsOptions = Omit<TestExplorerOptions, 'controller'> &
  Pick<Inactive, 'onDidWishTests'>;

/** Call files as tests. Nothing is looked for before the Test Explorer asks, or a call file is open. */
export class TestingParts {
  readonly #options: TestingPartsOptions;

  constructor(options: TestingPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    let made: TestExplorer | undefined;
    const explorer = () => (made ??= new TestExplorer({ ...this.#options, controller }));
    const controller: vscode.TestController = makeTestController(explorer);
    const addOpen = (document: vscode.TextDocument): void => {
      if (isCallFile(document)) void explorer().addOpen(document);
    };
    for (const document of openCallFiles()) addOpen(document);
    return vscode.Disposable.from(
      controller,
      { dispose: () => made?.dispose() },
      vscode.workspace.onDidOpenTextDocument(addOpen),
      this.#options.onDidWishTests((wish) => wish(explorer())),
      vscode.commands.registerCommand(commands.acceptAnswer, (argument: unknown) =>
        explorer().accept(argument),
      ),
      vscode.commands.registerCommand(commands.showExercisedTools, () =>
        explorer().showExercisedTools(),
      ),
    );
  }
}
