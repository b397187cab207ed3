import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import type { DecidedCallFacts } from '../host/consent/facts/decidedCallFacts';
import type { RuleBook } from '../host/consent/rules/ruleBook';
import { commands } from '../ids';
import { RuleSettings } from '../ui/settings/ruleSettings';
import { RuleCompletions } from '../ui/consent/rules/ruleCompletions';
import { RuleDiagnostics } from '../ui/consent/rules/ruleDiagnostics';
import { ruleDocumentSelector } from '../ui/consent/rules/ruleDocuments';
import { openRules, rulesLenses } from '../ui/consent/rules/rulesSetting';
import { RuleTrial } from '../ui/consent/rules/ruleTrial';

export interface RulePartsOptions {
  readonly book: Pick<RuleBook, 'setRules' | 'tryOn' | 'slowPatterns' | 'onDidFindSlow'>;
  readonly registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>;
  /** What the audit journal knows of calls before. */
  readonly pastCalls: () => Promise<readonly DecidedCallFacts[]>;
}

/** Keeps the book as the settings are; rules are checked where they are written, opened and tried. */
export class RuleParts {
  readonly #options: RulePartsOptions;

  constructor(options: RulePartsOptions) {
    this.#options = options;
  }

  /** From here on the rules of the settings count. */
  register(): vscode.Disposable {
    const { book, registry, pastCalls } = this.#options;
    const trial = new RuleTrial({ book, pastCalls });
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      new RuleSettings((sources) => book.setRules(sources)),
      new RuleDiagnostics(registry, book),
      trial,
      register(commands.openRules, openRules),
      register(commands.tryRules, (uri: unknown) => trial.run(uri)),
      vscode.languages.registerCodeLensProvider(ruleDocumentSelector, {
        provideCodeLenses: rulesLenses,
      }),
      vscode.languages.registerCompletionItemProvider(
        ruleDocumentSelector,
        new RuleCompletions(registry),
        '"',
      ),
    );
  }
}
