import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { skillLimits, type Skill, sizeOfSkill, isOverLimits } from '../../core/skills/skill';
import { verifySkillFile, type SkillVerdict } from '../../core/skills/verifySkill';
import type { ResourceContents } from '../../core/types';
import { formatSize } from './formatFile';
import { quoted } from './sentences';

/** Says whether a file that was read is the one that its server lists for a skill. */
export interface SkillNote {
  readonly isProblem: boolean;
  readonly sentence: string;
}

/** Returns `undefined` if no listed skill contains the file. */
export function skillNote(
  skills: readonly Skill[],
  uri: string,
  contents: readonly ResourceContents[],
): SkillNote | undefined {
  const verdict = verifySkillFile(skills, uri, contents);
  if (verdict === undefined) return undefined;
  return { isProblem: verdict.kind !== 'asListed', sentence: verdictSentence(verdict) };
}

/**
 * Returns why a listed file is not read: it is larger than a whole skill may be. `undefined` for
 * all others.
 */
export function tooLargeSentence(skills: readonly Skill[], uri: string): string | undefined {
  for (const { files } of skills) {
    const size = files === 'dynamic' ? 0 : (files.find((file) => file.uri === uri)?.size ?? 0);
    if (size <= skillLimits.bytes) continue;
    const [own, limit] = [formatSize(size), formatSize(skillLimits.bytes)];
    return l10n.t(
      '“{0}” was not read: it has {1}, and a skill at most {2}.',
      quoted(uri),
      own,
      limit,
    );
  }
  return undefined;
}

/** Says how many files a skill has, and what follows from that. */
export function skillFilesSentence(skill: Skill): string {
  if (skill.files === 'dynamic') {
    return l10n.t('The server lists no digests, so its files cannot be verified.');
  }
  const [count, size] = [skill.files.length, formatSize(sizeOfSkill(skill))];
  return isOverLimits(skill)
    ? l10n.t(
        'Files: {0}, {1}. That is more than clients must accept: {2} files, {3}.',
        count,
        size,
        skillLimits.files,
        formatSize(skillLimits.bytes),
      )
    : l10n.t('Files: {0}, {1}. Each is compared with its listed digest.', count, size);
}

function verdictSentence(verdict: SkillVerdict): string {
  switch (verdict.kind) {
    case 'asListed':
      return verdict.isManifest
        ? l10n.t('Size, digest and frontmatter are as the server lists them.')
        : l10n.t('Size and digest are as the server lists them.');
    case 'dynamic':
      return l10n.t('The server lists no digest for this file, so it is not verified.');
    case 'unlisted':
      return l10n.t('Do not use this file: the server does not list it for the skill.');
    case 'noContent':
      return l10n.t('Do not use this file: it has no content that can be verified.');
    case 'size': {
      const { listed, read } = verdict;
      return l10n.t('Do not use this file: {0} bytes are listed, but it has {1}.', listed, read);
    }
    case 'digest': {
      const { listed, read } = verdict;
      return l10n.t('Do not use this file: its digest is {1}, but {0} is listed.', listed, read);
    }
    case 'frontmatter':
      return verdict.field === undefined
        ? l10n.t('Do not use this skill: its frontmatter cannot be read.')
        : l10n.t(
            'Do not use this skill: “{0}” in its frontmatter is not as listed.',
            quoted(verdict.field),
          );
    default:
      return assertNever(verdict);
  }
}
