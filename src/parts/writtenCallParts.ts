import * as vscode from 'vscode';
import { CallFiles, type CallFilesOptions } from '../ui/callFiles/callFiles';
import type { CallHistory } from '../ui/activity/callHistory';
import { registerExpectAnswer } from '../ui/activity/expectAnswer';
import { ExpectedAnswers } from '../ui/callFiles/expectedAnswers';
import { CallAnswers } from '../host/callFiles/callAnswers';
import type { Results } from '../ui/results/results';
import type { ResultsOnDisk } from '../ui/results/resultsOnDisk';
import type { SettingsReader } from '../ui/settings/settings';
import type { ServerLogs } from '../ui/servers/serverLogs';
import type { SecretParts } from './secretParts';
import { commands } from '../ids';
import type { Inactive } from '../ui/activation/inactive';
import { isCallFile, openCallFiles } from '../ui/callFiles/callFileDocuments';
import { TestExplorer, type TestExplorerOptions } from '../ui/testing/testExplorer';
import { makeTestController } from '../ui/activation/testProfiles';

export interface WrittenCallPartsOptions
  extends
    Omit<CallFilesOptions, 'actions' | 'remembered' | 'answers'>,
    Pick<TestingPartsOptions, 'onDidRestartWatched' | 'onDidRequestTests'> {
  readonly actions: CallFilesOptions['actions'] & TestingPartsOptions['actions'];
  readonly logs: Pick<ServerLogs, 'onDidLog' | 'extension'>;
  readonly past: Pick<CallHistory, 'history' | 'secretsOf'>;
  readonly results: Pick<Results, 'pathOf'>;
  readonly spool: Pick<ResultsOnDisk, 'folder'>;
  readonly settings: Pick<SettingsReader, 'current'>;
  readonly secrets: Pick<SecretParts, 'values' | 'remembered'>;
}

/** Registers everything of call files: in the editor, and as tests. */
export function registerWrittenCalls(options: WrittenCallPartsOptions): vscode.Disposable {
  const { spool, settings, secrets } = options;
  const log = options.logs.extension;
  const ofCalls = new CallAnswers({
    folder: spool.folder,
    maxBytes: () => settings.current.resultBudgetBytes,
    onError: (error) => log.warn(`an answer is not kept: ${String(error)}`),
  });
  const { remembered } = secrets;
  const files = new CallFiles({ ...options, remembered, answers: ofCalls });
  const { history } = options.past;
  const { runs } = files.forTests;
  const answers = new ExpectedAnswers({
    history,
    secretsOf: (callId) => options.past.secretsOf(callId),
    volatileFields: () => settings.current.volatileFields,
    known: secrets.values,
  });
  return vscode.Disposable.from(
    ofCalls,
    files,
    files.register(),
    registerExpectAnswer({ ...options, history, runs, answers }),
    registerTesting({ ...options, ...files.forTests, ofCalls, log, answers }),
  );
}

type TestingPartsOptions = Omit<TestExplorerOptions, 'controller'> &
  Pick<Inactive, 'onDidRequestTests'>;

/** Registers call files as tests. It searches for them only when the Test Explorer asks or a call file is open. */
function registerTesting(options: TestingPartsOptions): vscode.Disposable {
  let made: TestExplorer | undefined;
  const explorer = () => (made ??= new TestExplorer({ ...options, controller }));
  const controller: vscode.TestController = makeTestController(explorer);
  const addOpen = (document: vscode.TextDocument): void => {
    if (isCallFile(document)) void explorer().addOpen(document);
  };
  for (const document of openCallFiles()) addOpen(document);
  return vscode.Disposable.from(
    controller,
    { dispose: () => made?.dispose() },
    vscode.workspace.onDidOpenTextDocument(addOpen),
    options.onDidRequestTests((request) => request(explorer())),
    vscode.commands.registerCommand(commands.acceptAnswer, (argument: unknown) =>
      explorer().accept(argument),
    ),
    vscode.commands.registerCommand(commands.showExercisedTools, () =>
      explorer().showExercisedTools(),
    ),
  );
}
