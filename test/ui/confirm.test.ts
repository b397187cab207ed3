import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, reviewScheme } from '../../src/ids';
import { CallReviews, type ReviewButton } from '../../src/ui/calls/confirmReview';
import { reviewText } from '../../src/ui/calls/reviewText';
import { toolOf } from '../host/treeFixtures';
import { questionOf } from '../ui-node/callQuestions';
import { lensCommands } from './lenses';

const noToken = new vscode.CancellationTokenSource().token;

describe('Review', () => {
  const question = questionOf(
    toolOf('echo'),
    {},
    { offered: [{ scope: 'tool', duration: 'session' }] },
  );
  let reviews: CallReviews;

  beforeEach(() => {
    reviews = new CallReviews(() => Promise.resolve(['at noon, it ran']));
  });

  afterEach(async () => {
    reviews.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Begins a review and resolves when its document is on the screen. */
  async function open(token = noToken): Promise<{
    readonly pressed: Promise<ReviewButton | undefined>;
    readonly document: vscode.TextDocument;
  }> {
    let subscription: vscode.Disposable | undefined;
    const shown = new Promise<vscode.TextDocument>((resolve) => {
      subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === reviewScheme) resolve(editor.document);
      });
    });
    const pressed = reviews.review(question, token);
    const document = await shown;
    subscription?.dispose();
    return { pressed, document };
  }

  it('opens the whole question as a read-only document with all buttons', async () => {
    const { pressed, document } = await open();
    assert.equal(document.getText(), reviewText(question, ['at noon, it ran']));
    const run = new Set((await lensCommands(document.uri)).map(({ command }) => command));
    assert.deepEqual(
      [...run],
      [
        commands.runArguments,
        commands.allowCalls,
        commands.editCallArguments,
        commands.cancelArguments,
      ],
    );
    await reviews.press(document.uri, 'run');
    assert.equal(await pressed, 'run');
  });

  it('means no when the document is closed', async () => {
    const { pressed } = await open();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.equal(await pressed, undefined);
  });

  it('closes the document when it is answered or cancelled', async () => {
    const source = new vscode.CancellationTokenSource();
    const { pressed } = await open(source.token);
    source.cancel();
    assert.equal(await pressed, undefined);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.deepEqual(
      tabs.filter(
        ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === reviewScheme,
      ),
      [],
    );
  });
});
