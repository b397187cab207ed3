import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  agentRule,
  agentRuleEffect,
  canHaveAgentRule,
  hasStricterRule,
  type AgentSubject,
} from '../../host/agents/agentToolRule';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import type { Effect } from '../../host/consent/facts/callFacts';
import type { RuleBook } from '../../host/consent/rules/ruleBook';
import { commands } from '../../ids';
import { pickRule, notifySavedRule, type RuleChoice } from '../consent/rules/rulePicker';
import type { RuleChange } from '../consent/rules/ruleTexts';
import { changeUserRules, type RuleFailure } from '../consent/rules/userRules';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { toolTitle } from '../format/toolTitle';
import { rowOrPickedTool } from '../picking/toolPicker';
import type { ServerActions } from '../servers/serverActions';
import { readRuleSources } from '../settings/settings';

interface AgentToolRulesOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly book: Pick<RuleBook, 'rules'>;
  /** Changes the rules. Defaults to writing the user settings. */
  readonly change?: (change: RuleChange) => Promise<RuleFailure | undefined>;
  /** Returns the unparsed list of rules in the user settings. */
  readonly written?: () => unknown;
}

/** `unset` means that no rule is only for this tool. */
type Way = Effect | 'unset';

/**
 * For Agents…: sets an agent's permissions for one tool, as a user rule that is shown before it is
 * saved.
 */
export class AgentToolRules {
  readonly #options: AgentToolRulesOptions;

  constructor(options: AgentToolRulesOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(commands.setForAgents, (argument: unknown) =>
      this.run(argument),
    );
  }

  /** Takes the tool of a tree row, or lets the user pick one. */
  async run(argument?: unknown): Promise<void> {
    const title = l10n.t('For Agents');
    const found = await rowOrPickedTool(argument, { ...this.#options, title });
    if (found !== undefined) await this.#choose(found.entry);
  }

  async #choose({ serverId, tool, risk }: ToolEntry): Promise<void> {
    const subject = { server: serverId, tool: tool.name, level: risk.level };
    const name = quoted(toolTitle(tool));
    if (!canHaveAgentRule(subject)) {
      notify(
        'warning',
        l10n.t('A rule cannot match “{0}” alone because its name is a pattern.', name),
      );
      return;
    }
    const way = await pickRule({
      title: l10n.t('For Agents: {0}', name),
      placeholder: l10n.t('Save a rule in your user settings'),
      choices: choices(subject, this.#wayNow(subject)),
    });
    if (way === undefined) return;
    await this.#write(subject, way, name);
  }

  async #write(subject: AgentSubject, way: Way, name: string): Promise<void> {
    const { change = changeUserRules } = this.#options;
    const rule = way === 'unset' ? undefined : agentRule(way, subject);
    const others = this.#others(subject);
    const replaces = (each: unknown): boolean => agentRuleEffect(each, subject) !== undefined;
    const problem = await change({ rule, replaces });
    if (problem !== undefined || way === 'unset') {
      if (problem !== undefined) notifySavedRule(problem);
      else notify('information', l10n.t('The rule for “{0}” was removed.', name));
      return;
    }
    if (!hasStricterRule(way, subject, others)) return notifySavedRule(undefined);
    const open = { title: l10n.t('Open Rules'), command: commands.openRules };
    const sentence = l10n.t(
      'The rule was saved, but a stricter rule for agents also matches “{0}” and takes precedence.',
      name,
    );
    notify('warning', sentence, open);
  }

  /**
   * Leaves out the rules that are replaced, because rules are identified by their index in the
   * written list.
   */
  #others(subject: AgentSubject): RuleBook['rules'] {
    const list = this.#list();
    return this.#options.book.rules.filter(
      ({ place }) =>
        place.scope !== 'user' || agentRuleEffect(list[place.index], subject) === undefined,
    );
  }

  #wayNow(subject: AgentSubject): Way {
    const set = this.#list().flatMap((each) => agentRuleEffect(each, subject) ?? []);
    // The strictest of several rules wins.
    return (['deny', 'ask', 'allow'] as const).find((effect) => set.includes(effect)) ?? 'unset';
  }

  #list(): readonly unknown[] {
    const { written = () => readRuleSources().user } = this.#options;
    const list = written();
    return Array.isArray(list) ? list : [];
  }
}

function choices(subject: AgentSubject, now: Way): readonly RuleChoice<Way>[] {
  const ways: readonly Way[] = [
    'ask',
    'allow',
    'deny',
    ...(now === 'unset' ? [] : ['unset' as const]),
  ];
  return ways.map((way) => ({
    label: labelOf(way),
    ...(way === now ? { description: l10n.t('current') } : {}),
    ...(way === 'unset'
      ? {
          detail:
            subject.level === 'destructive'
              ? l10n.t('Your other rules apply. Without one, agents are refused.')
              : l10n.t('Your other rules apply. Without one, you are asked.'),
        }
      : { rule: agentRule(way, subject) }),
    choice: way,
  }));
}

function labelOf(way: Way): string {
  return {
    ask: l10n.t('Ask every time'),
    allow: l10n.t('Allow without asking'),
    deny: l10n.t('Deny to agents'),
    unset: l10n.t('No rule for this tool'),
  }[way];
}
