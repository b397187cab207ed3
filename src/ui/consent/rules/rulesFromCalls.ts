import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import type { JsonObject } from '../../../core/json/jsonValue';
import { hasInvisibleCharacters } from '../../../core/visibleText';
import type { CallQuestion } from '../../../host/calls/call';
import { isFromUser } from '../../../host/consent/facts/callOrigin';
import { proposeRules, type RuleProposal } from '../../../host/consent/rules/proposeRules';
import type { RuleBook } from '../../../host/consent/rules/ruleBook';
import { storedArguments } from '../../../host/history/storedArguments';
import { quoted } from '../../format/sentences';
import { maxRuleChars, notifySavedRule } from './rulePicker';
import { saveUserRule, type RuleFailure } from './userRules';

export interface RulesFromCallsOptions {
  readonly book: Pick<RuleBook, 'wouldAllow'>;
  readonly redact: (text: string) => string;
  readonly save?: (rule: JsonObject) => Promise<RuleFailure | undefined>;
}

/** Creates rules of the user settings from a question about a call. */
export class RulesFromCalls {
  readonly #options: RulesFromCallsOptions;

  constructor(options: RulesFromCallsOptions) {
    this.#options = options;
  }

  /**
   * Returns rules that would allow this call, the narrowest first. They allow no more than a
   * permission could. Returns none if the answer cannot be remembered, or if an agent or extension
   * made the call, because rules apply to all callers.
   */
  async proposals(question: CallQuestion): Promise<readonly RuleProposal[]> {
    const { config, entry, arguments: given = {}, offered, origin } = question;
    if (offered.length === 0 || !isFromUser(origin)) return [];
    const { book, redact } = this.#options;
    const kept = storedArguments(given, entry.tool.inputSchema, [], redact);
    const proposed = proposeRules({
      server: config.id,
      tool: entry.tool.name,
      level: entry.risk.level,
      arguments: kept.value ?? {},
      hasSecrets: kept.hasSecrets,
      isBroad: offered.some(({ scope }) => scope === 'tool'),
    });
    const fitting: RuleProposal[] = [];
    for (const each of proposed) {
      const text = JSON.stringify(each.rule);
      const isReadable = text.length <= maxRuleChars && !hasInvisibleCharacters(text);
      // Only the first proposed rule about paths is offered, because it is the best one.
      const isLess = each.kind === 'places' && fitting.some(({ kind }) => kind === 'places');
      if (!isReadable || isLess || redact(text) !== text) continue;
      const facts = { config, entry, arguments: given, origin };
      if (await book.wouldAllow(each.rule, facts)) fitting.push(each);
    }
    return fitting;
  }

  /** Saves it in the user settings and tells the user. Resolves with true if it allows the call. */
  async save({ rule }: RuleProposal): Promise<boolean> {
    const { save = saveUserRule } = this.#options;
    const problem = await save(rule);
    notifySavedRule(problem);
    // A saved rule counts for this call even if VS Code has not read it yet.
    return problem === undefined || problem === 'notRead';
  }
}

export function proposalLabel({ kind, hosts, folders, isInWorkspace }: RuleProposal): string {
  switch (kind) {
    case 'arguments':
      return l10n.t('Exactly these arguments, as a rule');
    case 'places': {
      const paths =
        isInWorkspace === true
          ? [l10n.t('paths in this workspace')]
          : (folders ?? []).map((folder) => l10n.t('paths below {0}', quoted(folder)));
      const places = [...paths, ...(hosts ?? []).map(quoted)];
      return l10n.t('This tool only with {0}, as a rule', places.join(', '));
    }
    case 'tool':
      return l10n.t('This tool, as a rule');
    default:
      return assertNever(kind);
  }
}
