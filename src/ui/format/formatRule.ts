import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import { assertNever } from '../../core/errors';
import type { Effect, RuleMatch, RulePlace } from '../../host/consent/facts/callFacts';
import { quoted } from './sentences';

/** Says where a rule is defined, as the start of a sentence: “Rule 2 in your user settings”. */
export function formatRulePlace({ scope, folder, index }: RulePlace): string {
  const number = index + 1;
  switch (scope) {
    case 'user':
      return l10n.t('Rule {0} in your user settings', number);
    case 'machine':
      return l10n.t('Rule {0} in the settings of the remote machine', number);
    case 'workspace':
      return l10n.t('Rule {0} in the settings of this workspace', number);
    case 'folder':
      return l10n.t(
        'Rule {0} in the settings of the folder “{1}”',
        number,
        quoted(basename(folder ?? '')),
      );
    default:
      return assertNever(scope);
  }
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
  switch (effect) {
    case 'allow':
      return l10n.t('allow');
    case 'ask':
      return l10n.t('ask');
    case 'deny':
      return l10n.t('deny');
    default:
      return assertNever(effect);
  }
}
