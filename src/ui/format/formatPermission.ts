import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import type {
  Grant,
  GrantDuration,
  GrantScope,
  GrantChoice,
  SuspensionReason,
} from '../../host/consent/grants/grant';
import { quoted } from './sentences';

/**
 * Describes what a permission allows and for how long, in one sentence. Names are quoted and
 * shortened.
 */
export function formatGrant(grant: Grant): string {
  return l10n.t('{0}, {1}.', formatCover(grant), formatGrantDuration(grant.duration));
}

/** Describes what a permission allows. */
export function formatCover({ scope, server, tools }: Grant): string {
  const names = Object.keys(tools);
  if (scope !== 'readOnlyTools') return formatReadOnlyCover(scope, names[0] ?? '', server);
  return names.length === 1
    ? l10n.t('The 1 read-only tool of “{0}” at that time', quoted(server))
    : l10n.t('The {0} read-only tools of “{1}” at that time', names.length, quoted(server));
}

function formatReadOnlyCover(scope: GrantScope, tool: string, server: string): string {
  switch (scope) {
    case 'arguments':
      return l10n.t('“{0}” of “{1}” with exactly the same arguments', quoted(tool), quoted(server));
    case 'tool':
      return l10n.t('“{0}” of “{1}” with any arguments', quoted(tool), quoted(server));
    case 'readOnlyTools':
      return l10n.t('The current read-only tools of “{0}”', quoted(server));
    default:
      return assertNever(scope);
  }
}

/** Describes how long it lasts, as text after a comma. */
export function formatGrantDuration(duration: GrantDuration): string {
  switch (duration) {
    case 'session':
      return l10n.t('in this session');
    case 'workspace':
      return l10n.t('in this workspace');
    case 'always':
      return l10n.t('always');
    default:
      return assertNever(duration);
  }
}

/** Describes what is allowed and for how long, as an option. */
export function formatGrantChoice({ scope, duration }: GrantChoice): string {
  const howLong = formatGrantDuration(duration);
  switch (scope) {
    case 'arguments':
      return l10n.t('Exactly these arguments, {0}', howLong);
    case 'tool':
      return l10n.t('This tool, {0}', howLong);
    case 'readOnlyTools':
      return l10n.t('Read-only tools of this server, {0}', howLong);
    default:
      return assertNever(scope);
  }
}

/** Says what an option does not cover if its name does not say it. */
export function scopeLimit(scope: GrantScope, server: string): string | undefined {
  return scope === 'readOnlyTools'
    ? l10n.t('The current read-only tools of “{0}”; new ones still ask', server)
    : undefined;
}

/** Says exactly how long an option lasts. */
export function durationMeaning(duration: GrantDuration): string {
  switch (duration) {
    case 'session':
      return l10n.t('Until this window is closed or reloaded');
    case 'workspace':
      return l10n.t('In this workspace, until you withdraw it');
    case 'always':
      return l10n.t('In every window, until you withdraw it');
    default:
      return assertNever(duration);
  }
}

/** Explains in one sentence why a permission has no effect now. */
export function formatSuspension(reason: SuspensionReason): string {
  switch (reason) {
    case 'serverChanged':
      return l10n.t('The configuration of the server has changed.');
    case 'toolChanged':
      return l10n.t('The tool has changed.');
    case 'riskRaised':
      return l10n.t('The tool is riskier than this permission allows.');
    default:
      return assertNever(reason);
  }
}

/** Formats the same for a list of permissions. */
export function formatSuspended(reason: SuspensionReason): string {
  switch (reason) {
    case 'serverChanged':
      return l10n.t('suspended: the server changed');
    case 'toolChanged':
      return l10n.t('suspended: the tool changed');
    case 'riskRaised':
      return l10n.t('suspended: the tool is riskier');
    default:
      return assertNever(reason);
  }
}

/** Says where the answered call came from. */
export function formatOrigin(origin: CallOrigin): string {
  switch (origin) {
    case 'palette':
      return l10n.t('from the command palette');
    case 'tree':
      return l10n.t('from the tree');
    case 'file':
      return l10n.t('from a call file');
    case 'history':
      return l10n.t('run again from the list of calls');
    case 'command':
      return l10n.t('from a link, a key, a task or another extension');
    case 'api':
      return l10n.t('from another extension');
    case 'commandLine':
      return l10n.t('from the command line');
    case 'agent':
      return l10n.t('from an agent');
    default:
      return assertNever(origin);
  }
}
