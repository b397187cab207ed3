import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { skillMismatch, skillOf, type Skill, type SkillMismatch } from '../../core/skills/skill';
import type { ResourceContents } from '../../core/types';

/** Says why a file that was read is not the one that its server lists for a skill. */
export function skillProblem(
  skills: readonly Skill[],
  uri: string,
  contents: readonly ResourceContents[],
): string | undefined {
  const skill = skillOf(skills, uri);
  if (skill === undefined) return undefined;
  const mismatch = skillMismatch(skill, uri, contents);
  if (mismatch !== undefined) return mismatchSentence(mismatch);
  return skill.files === 'dynamic'
    ? l10n.t('The server lists no digest for this file of a skill, so it was not verified.')
    : undefined;
}

function mismatchSentence(mismatch: SkillMismatch): string {
  switch (mismatch) {
    case 'unlisted':
      return l10n.t('The server does not list this file for the skill. Do not use it.');
    case 'noContent':
      return l10n.t('This file of a skill has no content that could be verified. Do not use it.');
    case 'size':
      return l10n.t('The size of this file differs from the listed one. Do not use the skill.');
    case 'digest':
      return l10n.t('The digest of this file differs from the listed one. Do not use the skill.');
    case 'frontmatter':
      return l10n.t('Name or description differ from the listed ones. Do not use the skill.');
    default:
      return assertNever(mismatch);
  }
}
