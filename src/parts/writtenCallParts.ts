import * as vscode from 'vscode';
import { CallFiles, type CallFilesOptions } from '../ui/callFiles/callFiles';
import type { CallHistory } from '../ui/activity/callHistory';
import { registerExpectAnswer } from '../ui/activity/expectAnswer';
import { ExpectedAnswers } from '../ui/callFiles/expectedAnswers';
import type { Results } from '../ui/results/results';
import type { SettingsReader } from '../ui/settings/settings';
import type { ServerLogs } from '../ui/servers/serverLogs';
import type { SecretParts } from './secretParts';
import { TestingParts, type TestingPartsOptions } from './testingParts';

export interface WrittenCallPartsOptions
  extends
    Omit<CallFilesOptions, 'approved' | 'actions' | 'remembered'>,
    Pick<TestingPartsOptions, 'approved' | 'onDidRestartWatched' | 'onDidWishTests'> {
  readonly actions: CallFilesOptions['actions'] & TestingPartsOptions['actions'];
  readonly logs: Pick<ServerLogs, 'onDidLog' | 'extension'>;
  readonly past: Pick<CallHistory, 'history' | 'secretsOf'>;
  readonly results: Pick<Results, 'pathOf'>;
  readonly settings: Pick<SettingsReader, 'current'>;
  readonly secrets: Pick<SecretParts, 'values' | 'remembered'>;
}

/** Call files: in the editor, and as tests. */
export class WrittenCallParts {
  readonly #options: WrittenCallPartsOptions;

  constructor(options: WrittenCallPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const options = this.#options;
    const files = new CallFiles({ ...options, remembered: options.secrets.remembered });
    const log = options.logs.extension;
    const { history } = options.past;
    const { runs } = files.forTests;
    const answers = new ExpectedAnswers({
      history,
      secretsOf: (callId) => options.past.secretsOf(callId),
      volatileFields: () => options.settings.current.volatileFields,
      known: options.secrets.values,
    });
    const testing = new TestingParts({ ...options, ...files.forTests, log, answers });
    return vscode.Disposable.from(
      files,
      files.register(),
      registerExpectAnswer({ ...options, history, runs, answers }),
      testing.register(),
    );
  }
}
