import { tmpdir } from 'node:os';
import { CallAnswers } from '../host/callFiles/callAnswers';
import { SpoolFolder } from '../host/results/resultSpool';
import type { CliOptions } from './cliOptions';
import { CliValues, type ProcessEnvironment } from './cliValues';
import { wrongMessage } from './errorMessage';
import type { ExitCode } from './exitCodes';
import { TestCommand, type TestCommandOptions } from './testCommand';

/** Of answers in memory that later calls take values from: the default of the editor. */
const maxAnswerBytes = 256 * 1024 * 1024;

export interface RunTestOptions extends Omit<
  TestCommandOptions,
  'values' | 'answers' | 'run' | 'isStrict' | 'secrets'
> {
  readonly chosen: CliOptions;
  readonly env: ProcessEnvironment;
  readonly secrets: TestCommandOptions['secrets'] &
    ConstructorParameters<typeof CliValues>[0]['secrets'];
}

/** Runs call files, with a folder of its own for answers that are too large for memory. */
export async function runTest(
  files: readonly string[],
  { chosen, env, ...options }: RunTestOptions,
): Promise<ExitCode> {
  const { folder, output, secrets } = options;
  const { isStrict, run } = chosen;
  const values = new CliValues({ folder, env, passed: chosen, secrets });
  const spool = new SpoolFolder(tmpdir(), process.pid, 'toolgate');
  const answers = new CallAnswers({
    folder: spool,
    maxBytes: () => maxAnswerBytes,
    onError: (error) => output.tell(`An answer is not kept: ${wrongMessage(error)}`),
  });
  const removeAnswers = (): void => spool.dispose();
  process.once('exit', removeAnswers);
  try {
    const test = new TestCommand({ ...options, values, answers, run, isStrict });
    return await test.run(files, chosen.env);
  } finally {
    removeAnswers();
    process.off('exit', removeAnswers);
  }
}
