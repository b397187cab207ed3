import * as l10n from '@vscode/l10n';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import type { AnswerVerb, PageButton, PageHead, PageTexts } from '../../page/pageMessages';
import { formatDuration, formatTime } from '../format/formatTime';
import type { StoredResult } from '../results/resultDocuments';
import { emptySentence, factLines, argumentLines, problemLines } from '../results/resultOverview';

const maxNameChars = 200;
const maxArgumentChars = 200;

/** The header of an answer's page, which surrounds its parts. `isForChat`: it offers the chat. */
export function pageHead(kept: StoredResult, blockCount: number, isForChat = false): PageHead {
  const { facts } = kept;
  const { origin } = facts;
  const title = origin.kind === 'call' ? origin.toolTitle : origin.uri;
  const said = facts.arguments?.value;
  const given = said === undefined ? '' : stringifyExactly(said);
  const shown = [
    visibleText(title, maxNameChars),
    visibleText(facts.serverLabel, maxNameChars),
    formatTime(facts.createdAt),
    formatDuration(facts.durationMs),
    ...(given === '' || given === '{}' ? [] : [visibleText(given, maxArgumentChars)]),
  ];
  const problems = problemLines(facts).filter((line) => line !== '');
  return {
    title: visibleText(title, maxNameChars),
    summary: shown.join(' · '),
    details: [...factLines(facts), ...argumentLines(facts)],
    // The error itself is reported beside the server's own words.
    problems: [
      ...problems.slice(facts.isError ? 1 : 0),
      ...(blockCount === 0 ? [emptySentence(facts)] : []),
      ...(blockCount < kept.parts.length
        ? [l10n.t('More parts in the same folder: {0}.', kept.parts.length - blockCount)]
        : []),
    ],
    buttons: buttonsOf(kept, isForChat),
    blockCount,
    texts: pageTexts(),
  };
}

/** Call buttons appear only if there is a call. A resource that was read has none. */
function buttonsOf(
  { callId, parts }: StoredResult,
  isForChat: boolean,
): readonly PageButton<AnswerVerb>[] {
  const isOfCall = callId !== undefined;
  const hasFiles = parts.some(({ kind }) => kind !== 'link');
  return [
    ...button('runAgain', l10n.t('Run Again'), isOfCall),
    ...button('edit', l10n.t('Edit Arguments…'), isOfCall),
    ...button('save', l10n.t('Save…'), hasFiles),
    ...button('compare', l10n.t('Compare…'), isOfCall || hasFiles),
    ...button('expect', l10n.t('Expect This Result'), isOfCall),
    ...button('chat', l10n.t('Open in Chat'), isOfCall && isForChat),
    ...button('text', l10n.t('Show as Text'), true),
  ];
}

function button(verb: AnswerVerb, label: string, isThere: boolean): PageButton<AnswerVerb>[] {
  return isThere ? [{ verb, label }] : [];
}

/** Labels of the page's own controls. */
export function pageTexts(): PageTexts {
  return {
    error: l10n.t('The tool reported an error.'),
    loading: l10n.t('Loading…'),
    openPicture: l10n.t('Open this image in the editor'),
    notPlayable: l10n.t('This cannot be played here. Open or save it instead.'),
    notDrawable: l10n.t('This image cannot be shown here. Open or save it instead.'),
    filter: l10n.t('Filter rows'),
    rows: l10n.t('{0} of {1} rows'),
    copyCsv: l10n.t('Copy as CSV'),
    copyMarkdown: l10n.t('Copy as Markdown'),
    copied: l10n.t('Copied'),
    sortBy: l10n.t('Sort by {0}'),
    moreColumns: l10n.t('Columns: {0}, shown: the first {1}'),
  };
}
