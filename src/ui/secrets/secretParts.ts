import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import { literalSecrets } from '../../host/secrets/literalSecrets';
import { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { SecretValues } from '../../host/secrets/secretValues';
import { commands, internalCommands } from '../../ids';
import { askAgain } from './askAgain';
import { InputQuestions } from './inputQuestions';
import { manageSecrets } from './manageSecrets';

/** Everything about secrets: asking for them, keeping them, and leaving them out of logs. */
export class SecretParts {
  readonly values = new SecretValues();
  readonly remembered: RememberedInputs;
  readonly questions: InputQuestions;

  constructor({
    secrets,
    workspaceState,
    globalState,
  }: Pick<vscode.ExtensionContext, 'secrets' | 'workspaceState' | 'globalState'>) {
    this.remembered = new RememberedInputs({
      secrets,
      workspace: workspaceState,
      global: globalState,
      values: this.values,
    });
    this.questions = new InputQuestions(this.remembered);
  }

  /** For whatever runs a server: what its inputs stand for, and what must not be told of it. */
  forRuns(): { inputs: InputQuestions; redact: (text: string) => string } {
    return { inputs: this.questions, redact: (text) => this.values.redact(text) };
  }

  /** The command, and the secrets that stand in configurations as they are read. */
  register(registry: ServerRegistry): vscode.Disposable {
    const { remembered } = this;
    return vscode.Disposable.from(
      registry.onDidChange(() => this.#learn(registry)),
      vscode.commands.registerCommand(commands.manageSecrets, () =>
        manageSecrets({ registry, remembered }),
      ),
      vscode.commands.registerCommand(internalCommands.askAgain, (argument: unknown) =>
        askAgain({ registry, remembered }, argument),
      ),
    );
  }

  #learn({ servers }: ServerRegistry): void {
    for (const { config } of servers) {
      for (const value of literalSecrets(config.reach)) this.values.add(value);
    }
  }
}
