import * as l10n from '@vscode/l10n';
import type { ToolMarks } from '../../host/consent/pins/pinFileFormat';

/** How a tool differs from the accepted one. */
export type ToolChangeKind = 'new' | 'changed' | 'gone';

/** Returns one word, for the start of a row in a narrow sidebar. */
export function changeWord(kind: ToolChangeKind): string {
  return {
    new: l10n.t('new'),
    changed: l10n.t('changed'),
    gone: l10n.t('removed'),
  }[kind];
}

/** Returns a sentence for tooltips and screen readers. */
export function changeSentence(kind: ToolChangeKind): string {
  return {
    new: l10n.t('New since you accepted the server’s tools, so you are asked before a call.'),
    changed: l10n.t('Changed since you accepted it, so you are asked before a call.'),
    gone: l10n.t('Removed: the server no longer lists it.'),
  }[kind];
}

/** Like {@link changeSentence}, for a skill. */
export function skillChangeSentence(kind: ToolChangeKind): string {
  return {
    new: l10n.t('New since you accepted the server’s skills.'),
    changed: l10n.t('Changed since you accepted it: its frontmatter or its files.'),
    gone: l10n.t('Removed: the server no longer lists it.'),
  }[kind];
}

/** Returns the kind that represents all of them if there is space for one letter. */
export function mainChange(marks: ToolMarks): ToolChangeKind {
  if (marks.changed.size > 0) return 'changed';
  return marks.new.size > 0 ? 'new' : 'gone';
}

/** Returns for example `2 changed`, or the total of several kinds. Empty if there are none. */
export function formatChangeCount(
  marks: ToolMarks,
  ofSeveralKinds = (all: number): string => l10n.t('{0} tool changes', all),
): string {
  const counts = [marks.new.size, marks.changed.size, marks.gone.length];
  const [isNew = 0, changed = 0, gone = 0] = counts;
  const all = isNew + changed + gone;
  if (all === 0) return '';
  switch (all) {
    case isNew:
      return l10n.t('{0} new', all);
    case changed:
      return l10n.t('{0} changed', all);
    case gone:
      return l10n.t('{0} removed', all);
    default:
      return ofSeveralKinds(all);
  }
}
