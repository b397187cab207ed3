import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import type { Effect, RuleMatch, RulePlace } from '../../host/consent/facts/callFacts';
import { quoted } from './sentences';

/** Says where a rule is defined, as the start of a sentence: “Rule 2 in your user settings”. */
export function formatRulePlace({ scope, folder, index }: RulePlace): string {
  const number = index + 1;
  return {
    user: l10n.t('Rule {0} in your user settings', number),
    machine: l10n.t('Rule {0} in the settings of the remote machine', number),
    workspace: l10n.t('Rule {0} in the settings of this workspace', number),
    folder: l10n.t(
      'Rule {0} in the settings of the folder “{1}”',
      number,
      quoted(basename(folder ?? '')),
    ),
  }[scope];
}

/**
 * Describes a rule that applies to a call, in one line without a full stop: where it is defined,
 * its effect, whether it could be read, and its author's reason as shortened plain text.
 */
export function formatRule({ effect, place, reason, isReadStrictly }: RuleMatch): string {
  const text = isReadStrictly
    ? l10n.t(
        '{0}: {1} (part of it cannot be read, so its strictest meaning applies)',
        formatRulePlace(place),
        formatEffect(effect),
      )
    : l10n.t('{0}: {1}', formatRulePlace(place), formatEffect(effect));
  const said = quoted(reason);
  return said === '' ? text : l10n.t('{0} — “{1}”', text, said);
}

/** Returns the effect as it is spelled in the settings, because users search for that word. */
export function formatEffect(effect: Effect): string {
  return {
    allow: l10n.t('allow'),
    ask: l10n.t('ask'),
    deny: l10n.t('deny'),
  }[effect];
}
