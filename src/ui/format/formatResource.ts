import { ThemeIcon } from 'vscode';
import { canonicalMediaType, extensionOfUri, isTextType } from '../../core/content/mediaTypes';
import type { PromptArgument, ServerPrompt } from '../../core/parse/promptsAndResources';
import type { Resource, ResourceFacts } from '../../core/types';
import { formatSize } from '../format/formatFile';
import { quoted } from '../format/sentences';

/** Returns the title of a resource or a prompt, or its name. */
export function resourceTitle({ title, name }: Pick<ResourceFacts, 'title' | 'name'>): string {
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

/** Returns an icon for the media type. No risk has the same icon. */
export function resourceIcon({ mimeType, uri }: Resource): ThemeIcon {
  return new ThemeIcon(iconName(canonicalMediaType(mimeType), extensionOfUri(uri)));
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

/** Returns the arguments in the order in which they are asked for: the required ones first. */
export function promptArguments({ arguments: all }: ServerPrompt): readonly PromptArgument[] {
  return all.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}
