import type { FileValueKind } from '../core/callFiles/callVariables';
import { assertNever } from '../core/errors';
import { isJsonObject } from '../core/json/shapes';
import type { CallQuestion } from '../host/calls/call';
import type { Decision } from '../host/consent/consent';
import { proposeRules } from '../host/consent/rules/proposeRules';
import { inLine } from './errorMessage';

/** Says why a call was denied and how the user can allow it. */
export interface Denial {
  readonly sentence: string;
  /** The JSON of a rule; absent when no rule could allow the call. */
  readonly rule?: string;
  /** The tool is not as it was reviewed. */
  readonly isLocked: boolean;
}

/** `question` is the question that the editor would ask; absent when a rule denies. */
export function denialOf(question: CallQuestion | undefined, decision?: Decision): Denial {
  const cause = (question?.decision ?? decision)?.cause;
  switch (cause?.kind) {
    case 'rule':
      return { sentence: ruleSentence(cause.rule), isLocked: false };
    case 'pin':
      return {
        sentence: 'Not called: the tool differs from the lock file.',
        isLocked: true,
      };
    case 'fileValues':
      return { sentence: valuesSentence(cause.values), isLocked: false };
    case 'unreadable':
      return { sentence: `Not called: ${inLine(cause.detail)}`, isLocked: false };
    // This happens to agents of a window only.
    case 'humanOnly':
    case 'grant':
    case 'noRule':
    case undefined:
      return question === undefined
        ? { sentence: 'Not called.', isLocked: false }
        : { sentence: noRuleSentence(question), ...proposed(question), isLocked: false };
    default:
      return assertNever(cause);
  }
}

function ruleSentence({
  effect,
  place,
  reason,
}: Extract<Decision['cause'], { kind: 'rule' }>['rule']) {
  const where = place.scope === 'user' ? '--allow' : 'the settings of this folder';
  const why = reason === undefined ? '' : ` (${inLine(reason)})`;
  const does = effect === 'deny' ? 'denies it' : 'requires that a user is asked';
  return `Not called: rule ${place.index + 1} of ${where} ${does}${why}.`;
}

/** Names the values that a call file takes from elsewhere, and the option that allows each. */
export function valuesSentence(values: readonly FileValueKind[]): string {
  const parts = [
    ...(values.includes('env') ? ['environment variables (--pass-env <name>)'] : []),
    ...(values.some(isInput) ? ['inputs (--pass-input <name>)'] : []),
    ...(values.includes('answer') ? ['answers of another server (--pass-answers)'] : []),
  ];
  return `Not called: the file uses ${parts.join(', ')}.`;
}

function isInput(kind: FileValueKind): boolean {
  return kind === 'input' || kind === 'password';
}

function noRuleSentence({ entry }: CallQuestion): string {
  const { level, basis } = entry.risk;
  return `Not called: no rule allows it. Its risk is ${level} (${basis}), so --max-risk ${level} would, or a rule in the file of --allow.`;
}

/** Makes the widest rule for this tool alone; it no longer matches when the tool gets riskier. */
function proposed({ config, entry, arguments: given }: CallQuestion): Pick<Denial, 'rule'> {
  const proposal = proposeRules({
    server: config.id,
    tool: entry.tool.name,
    level: entry.risk.level,
    arguments: isJsonObject(given) ? given : {},
    hasSecrets: true,
    isBroad: true,
  }).at(-1);
  return proposal === undefined ? {} : { rule: JSON.stringify(proposal.rule) };
}
