import * as l10n from '@vscode/l10n';
import type { FileKind, FilePart, Part, PartNote } from '../../core/content/contentParts';
import { assertNever } from '../../core/errors';
import type { ContentAnnotations } from '../../core/types';
import { visibleText } from '../../core/visibleText';
import { formatDecimal } from './formatTime';

const maxQuotedChars = 200;
const maxRequestChars = 1_500;

function formatFileKind(kind: FileKind): string {
  return {
    text: l10n.t('text'),
    image: l10n.t('image'),
    audio: l10n.t('audio'),
    resource: l10n.t('resource'),
    structured: l10n.t('structured content'),
    meta: l10n.t('metadata'),
    unknown: l10n.t('unknown content'),
  }[kind];
}

/** Returns kind, declared media type and size of a file. */
export function formatFile({ kind, mimeType, size, role }: FilePart): string {
  const type = mimeType === undefined ? [] : [visibleText(mimeType, maxQuotedChars)];
  return [...formatRole(role), formatFileKind(kind), ...type, formatSize(size)].join(', ');
}

/** Says who a message of a prompt is from. Empty for other parts. */
export function formatRole(role: Part['role']): readonly string[] {
  if (role === undefined) return [];
  return [role === 'user' ? l10n.t('message from the user') : l10n.t('message from the assistant')];
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? l10n.t('1 byte') : l10n.t('{0} bytes', bytes);
  const kib = bytes / 1024;
  return kib < 1024
    ? l10n.t('{0} KiB', formatDecimal(kib))
    : l10n.t('{0} MiB', formatDecimal(kib / 1024));
}

export function noteSentence({ code, detail }: PartNote): string {
  const said = visibleText(detail ?? '', maxQuotedChars);
  switch (code) {
    case 'invalidBase64':
      return l10n.t('This is not valid base64, so the received text is shown.');
    case 'halfCharacter':
      return l10n.t('“{0}” replaces an incomplete character, which a file cannot store.', '\uFFFD');
    case 'looseBase64':
      return l10n.t('This is not plain base64, but could be decoded.');
    case 'untyped':
      return l10n.t('The server does not declare the type of this content; it is {0}.', said);
    case 'tooLarge':
      return l10n.t('This is too large to decode, so it is not shown.');
    case 'mimeMismatch':
      return detail === undefined
        ? l10n.t('The content is not of the type that the server declared.')
        : l10n.t('The content is not of the type that the server declared; it is {0}.', said);
    case 'unknownType':
      return detail === 'unknown type'
        ? l10n.t('Toolgate does not know this type of content, so the received JSON is shown.')
        : l10n.t('This is not valid MCP ({0}), so the received JSON is shown.', said);
    case 'emptyContent':
      return l10n.t('This is empty.');
    case 'emptyResource':
      return l10n.t('The server sent this resource without contents.');
    case 'tooDeep':
      return l10n.t('This is nested too deeply to show.');
    case 'sameAsText':
      return l10n.t('The text beside it is identical and is left out.');
    case 'differsFromText':
      return l10n.t('The text beside it is also JSON, but differs.');
    case 'escapesRemoved':
      return l10n.t(
        'Terminal escape sequences, such as colors, were removed. The last parts contain the original.',
      );
    case 'asSent':
      return l10n.t('Original of part {0}, with its terminal escape sequences.', said);
    case 'appPage':
      return l10n.t('This is the page of an app, as text. Toolgate does not render it.');
    case 'appWithoutRequests':
      return l10n.t(
        'This is the page of an app, as text. Toolgate does not render it. It comes with no requests for other sites.',
      );
    case 'appRequest':
      return l10n.t('It requests {0}', visibleText(detail ?? '', maxRequestChars));
    default:
      return assertNever(code);
  }
}

/** True if the server means it only for a model and not for the user. */
export function isForModelOnly(annotations: ContentAnnotations | undefined): boolean {
  const { audience } = annotations ?? {};
  return audience?.includes('assistant') === true && !audience.includes('user');
}

/** Returns a sentence for each annotation about the audience of a part. */
export function annotationSentences(annotations: ContentAnnotations | undefined): string[] {
  const { audience, priority, lastModified } = annotations ?? {};
  const sentences: string[] = [];
  if (isForModelOnly(annotations)) {
    sentences.push(l10n.t('Intended for a model, so its text is shown only when you open it.'));
  }
  if (audience?.includes('user') === true && !audience.includes('assistant'))
    sentences.push(l10n.t('Intended for you, not for a model.'));
  if (priority !== undefined) sentences.push(l10n.t('Priority {0} of 1.', priority));
  if (lastModified !== undefined) {
    sentences.push(l10n.t('Last modified {0}.', visibleText(lastModified, maxQuotedChars)));
  }
  return sentences;
}
