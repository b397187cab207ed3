import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { AgentMessages } from '../../host/agents/agentCall';
import type { SchemaViolation } from '../../core/types';
import type { CallOutcome } from '../../host/calls/call';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { formatDecision } from '../format/formatDecision';
import { errorSentence, quoted } from '../format/sentences';

/** Many violations usually have the same cause. */
const maxPlaces = 3;

/** Messages that agents get instead of an answer. `labelOf` returns the label of a server. */
export function agentMessages(labelOf: (server: string) => string): AgentMessages {
  return {
    refused: (server, outcome) => refusedSentence(labelOf(server), outcome),
    unanswered: () => l10n.t('The user did not answer in time. Nothing was sent.'),
    noSuchTool: (name) =>
      l10n.t('No tool “{0}” is available to you. Only the user can expose tools.', quoted(name)),
    leftOut: (name) =>
      l10n.t(
        'Nothing was sent: the user has excluded the tool “{0}” from the current tool set.',
        quoted(name),
      ),
    waiting: () => l10n.t('The user is being asked about this call.'),
  };
}

function refusedSentence(server: string, outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'denied':
      return outcome.decision === undefined
        ? l10n.t('The user declined this call. Nothing was sent.')
        : l10n.t('{0} Nothing was sent.', formatDecision(decisionFacts(outcome.decision)));
    case 'failed': {
      const { error, violations } = outcome;
      if (error.code === 'notApproved') {
        return l10n.t(
          'Nothing was sent: the user has not agreed to start server “{0}”. They can start it in the Toolgate view.',
          server,
        );
      }
      return violations.length === 0
        ? errorSentence(server, error)
        : l10n.t(
            'Nothing was sent: the arguments do not match the schema ({0}).',
            places(violations),
          );
    }
    case 'cancelled':
      return l10n.t('The call was cancelled.');
    case 'result':
    case 'toolError':
      return '';
    default:
      return assertNever(outcome);
  }
}

/** Returns the first violations and the number of further ones. */
function places(violations: readonly SchemaViolation[]): string {
  const first = violations
    .slice(0, maxPlaces)
    .map(({ pointer, message }) => quoted(`${pointer} ${message}`.trim()))
    .join('; ');
  const more = violations.length - maxPlaces;
  return more > 0 ? l10n.t('{0}; and {1} more', first, more) : first;
}
