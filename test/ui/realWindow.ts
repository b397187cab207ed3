import * as vscode from 'vscode';
import { settings } from '../../src/ids';
import { AnsweredDialogs, pressStart, type Press } from './dialogs';
import { RealExtension } from './realExtension';
import { WindowAnswers } from './windowAnswers';

export const run = (command: string, ...args: readonly unknown[]): Thenable<unknown> =>
  vscode.commands.executeCommand(command, ...args);

/** In the settings of the user. */
export const set = (name: string, value: unknown): Thenable<void> =>
  vscode.workspace
    .getConfiguration(settings.section)
    .update(name, value, vscode.ConfigurationTarget.Global);

interface WindowOptions {
  /** What answers modal dialogs. Absent: servers start. */
  readonly press?: Press;
  /** Absent: everything else that the extension asks is answered, too. */
  readonly hasAnswers?: false;
  /** The servers that are configured, and started, before the first test. */
  readonly servers?: (extension: RealExtension) => Readonly<Record<string, object>>;
}

/** The real extension, and what answers it, for the tests of a suite. */
export function useWindow({ press = pressStart, hasAnswers, servers }: WindowOptions = {}) {
  const extension = new RealExtension();
  const dialogs = new AnsweredDialogs(press);
  const answers = new WindowAnswers();
  before(async () => {
    await extension.activate();
    if (hasAnswers !== false) answers.begin();
    dialogs.begin();
    if (servers === undefined) return;
    const wanted = servers(extension);
    await extension.configure(wanted);
    for (const id of Object.keys(wanted)) await extension.api.start(id);
  });
  after(async () => {
    await extension.clear();
    dialogs.dispose();
    if (hasAnswers !== false) answers.dispose();
  });
  return { extension, dialogs, answers };
}
