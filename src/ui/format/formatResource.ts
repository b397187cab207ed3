import * as l10n from '@vscode/l10n';
import { ThemeIcon } from 'vscode';
import { canonicalMediaType, extensionOfUri, isTextType } from '../../core/content/mediaTypes';
import { assertNever } from '../../core/errors';
import type { ListProblem, Resource, ResourceFacts } from '../../core/types';
import { formatSize } from './formatFile';
import { quoted } from './sentences';
import { listProblemSentence } from './sentencesOfProblems';

/** Returns the title of a resource, or its name. */
export function resourceTitle({ title, name }: ResourceFacts): string {
  return quoted(title) || quoted(name);
}

/** Returns media type and size as far as they are known. */
export function resourceBrief(resource: Resource): string {
  const { mimeType, size } = resource;
  return [
    ...(mimeType === undefined ? [] : [quoted(mimeType)]),
    ...(size === undefined ? [] : [formatSize(size)]),
  ].join(' · ');
}

/** Says how many of `all` resources are shown. */
export function formatResourceCount(shown: number, all: number): string {
  if (shown !== all) return l10n.t('{0} of {1}', shown, all);
  return String(all);
}

/** Returns an icon for the media type. None of these icons stands for a risk. */
export function resourceIcon({ mimeType, uri }: Resource): ThemeIcon {
  return new ThemeIcon(iconName(canonicalMediaType(mimeType), extensionOfUri(uri)));
}

/** Explains why the list of a server's resources may be incomplete. */
export function resourceProblemSentence(serverLabel: string, problem: ListProblem): string {
  const server = quoted(serverLabel);
  switch (problem.code) {
    case 'repeatedCursor':
      return l10n.t(
        'Server “{0}” repeats a page of its resources, so the list ends there. Tell its author.',
        server,
      );
    case 'tooManyPages':
      return l10n.t(
        'Server “{0}” lists its resources on more than {1} pages; the rest is ignored.',
        server,
        problem.limit,
      );
    case 'pageFailed':
      return l10n.t(
        'Server “{0}” did not send all of its resources. Refresh them, or see its log. Details: “{1}”',
        server,
        quoted(problem.detail),
      );
    case 'repeatedEntries':
    case 'emptyPages':
    case 'tooManyTools':
    case 'tooManyResources':
    case 'tooManyTasks':
    case 'unusableEntries':
    case 'alwaysChanging':
      return listProblemSentence(serverLabel, problem);
    default:
      return assertNever(problem);
  }
}

function iconName(type: string | undefined, extension: string | undefined): string {
  if (type === undefined) return extension === undefined ? 'file' : iconOfExtension(extension);
  if (type === 'inode/directory') return 'folder';
  if (/^(image|video)\//.test(type)) return 'file-media';
  if (type.startsWith('audio/')) return 'unmute';
  if (type === 'application/pdf') return 'file-pdf';
  if (/zip|gzip|tar|compress/.test(type)) return 'file-zip';
  if (type === 'text/markdown') return 'markdown';
  if (type === 'text/plain') return 'file-text';
  return isTextType(type) ? 'file-code' : 'file-binary';
}

function iconOfExtension(extension: string): string {
  if (extension === 'md') return 'markdown';
  return extension === 'txt' ? 'file-text' : 'file';
}
