import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import {
  type RegisterServerSecrets,
  registerServerSecrets,
} from '../host/secrets/configuredSecrets';
import { RememberedInputs } from '../host/secrets/rememberedInputs';
import { SecretValues } from '../host/secrets/secretValues';
import { commands, internalCommands } from '../ids';
import { InputQuestions } from '../ui/secrets/inputQuestions';
import { manageSecrets, askInputsAgain } from '../ui/secrets/manageSecrets';

/** Everything about secrets: asking for them, storing them, and redacting logs. */
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

  /** Registers the secrets of a server while it runs. */
  get holdSecrets(): RegisterServerSecrets {
    return registerServerSecrets(this.values);
  }

  redact(text: string): string {
    return this.values.redact(text);
  }

  /** Registers the commands. */
  register(registry: ServerRegistry): vscode.Disposable {
    const { remembered } = this;
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.manageSecrets, () =>
        manageSecrets({ registry, remembered }),
      ),
      vscode.commands.registerCommand(internalCommands.askAgain, (argument: unknown) =>
        askInputsAgain({ registry, remembered }, argument),
      ),
    );
  }
}
