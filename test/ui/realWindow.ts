import * as vscode from 'vscode';
import { settings } from '../../src/ids';
import { connectAgent, type Agent, type BridgeCommand } from '../host/agentClients';
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

/** Nobody answers what is asked meanwhile in time; it is closed then. */
export async function withoutAnswer(work: () => Promise<unknown>): Promise<void> {
  const { showWarningMessage, showInformationMessage } = vscode.window;
  let close: (pressed: undefined) => void = () => undefined;
  const open = new Promise<undefined>((resolve) => (close = resolve));
  Object.assign(vscode.window, {
    showWarningMessage: () => open,
    showInformationMessage: () => open,
  });
  await set(settings.agentAnswerWithinMs, 1_000);
  try {
    await work();
  } finally {
    Object.assign(vscode.window, { showWarningMessage, showInformationMessage });
    // Nobody can take it back: the next one waits until this one is closed.
    close(undefined);
    await set(settings.agentAnswerWithinMs, undefined);
  }
}

/** As soon as the bridge finds the window, which opens a moment after the setting changed. */
export async function agentThrough(bridge: BridgeCommand, name: string): Promise<Agent> {
  for (;;) {
    try {
      return await connectAgent('SDK 1', bridge, name);
    } catch (error) {
      if (!/No window|Connection closed/.test(String(error))) throw error;
    }
  }
}

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
