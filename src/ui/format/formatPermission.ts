import * as l10n from '@vscode/l10n';
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
  return {
    arguments: l10n.t(
      '“{0}” of “{1}” with exactly the same arguments',
      quoted(tool),
      quoted(server),
    ),
    tool: l10n.t('“{0}” of “{1}” with any arguments', quoted(tool), quoted(server)),
    readOnlyTools: l10n.t('The current read-only tools of “{0}”', quoted(server)),
  }[scope];
}

/** Describes how long it lasts, as text after a comma. */
export function formatGrantDuration(duration: GrantDuration): string {
  return {
    session: l10n.t('in this session'),
    workspace: l10n.t('in this workspace'),
    always: l10n.t('always'),
  }[duration];
}

/** Describes what is allowed and for how long, as an option. */
export function formatGrantChoice({ scope, duration }: GrantChoice): string {
  const howLong = formatGrantDuration(duration);
  return {
    arguments: l10n.t('Exactly these arguments, {0}', howLong),
    tool: l10n.t('This tool, {0}', howLong),
    readOnlyTools: l10n.t('Read-only tools of this server, {0}', howLong),
  }[scope];
}

/** Says what an option does not cover if its name does not say it. */
export function scopeLimit(scope: GrantScope, server: string): string | undefined {
  return scope === 'readOnlyTools'
    ? l10n.t('The current read-only tools of “{0}”; new ones still ask', server)
    : undefined;
}

/** Says exactly how long an option lasts. */
export function durationMeaning(duration: GrantDuration): string {
  return {
    session: l10n.t('Until this window is closed or reloaded'),
    workspace: l10n.t('In this workspace, until you withdraw it'),
    always: l10n.t('In every window, until you withdraw it'),
  }[duration];
}

/** Explains in one sentence why a permission has no effect now. */
export function formatSuspension(reason: SuspensionReason): string {
  return {
    serverChanged: l10n.t('The configuration of the server has changed.'),
    toolChanged: l10n.t('The tool has changed.'),
    riskRaised: l10n.t('The tool is riskier than this permission allows.'),
  }[reason];
}

/** Formats the same for a list of permissions. */
export function formatSuspended(reason: SuspensionReason): string {
  return {
    serverChanged: l10n.t('suspended: the server changed'),
    toolChanged: l10n.t('suspended: the tool changed'),
    riskRaised: l10n.t('suspended: the tool is riskier'),
  }[reason];
}

/** Says where the answered call came from. */
export function formatOrigin(origin: CallOrigin): string {
  return {
    palette: l10n.t('from the command palette'),
    tree: l10n.t('from the tree'),
    file: l10n.t('from a call file'),
    history: l10n.t('run again from the list of calls'),
    command: l10n.t('from a link, a key, a task or another extension'),
    api: l10n.t('from another extension'),
    commandLine: l10n.t('from the command line'),
    agent: l10n.t('from an agent'),
  }[origin];
}
