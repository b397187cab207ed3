import * as l10n from '@vscode/l10n';
import type { ElicitationRequest, FormElicitation } from '../../core/input/elicitation';
import type { UrlAssessment, UrlRefusal } from '../../core/input/elicitationUrl';
import { fieldLabel, quickInputText } from '../arguments/formatField';
import type { FormField } from '../../core/arguments/inputField';
import { visibleText } from '../../core/visibleText';
import { quoted } from '../format/sentences';
import { urlWarningSentence } from '../format/sentencesOfHttp';

const maxServerChars = 60;
/** Longer text in a quick input pushes its rows off the window. */
const maxMessageChars = 1_500;
const maxListedFields = 12;

/**
 * Title of every question, so that the user knows which server receives the answer.
 */
export function questionTitle(server: string): string {
  // A title shows plain text only.
  return l10n.t('Server “{0}” asks you', visibleText(server, maxServerChars));
}

/** The waiting call and the reason. The text is plain, without links. */
export function questionPrompt(
  request: FormElicitation,
  fields: readonly FormField[],
  secrets: ReadonlySet<string>,
): string {
  const asked = fields.filter(({ name }) => secrets.has(name));
  return [
    ...(asked.length === 0 ? [] : [secretWarning(asked)]),
    formatMessage(request, quickInputText),
    ...formatAskingTool(request, quickInputText),
    ...(fields.length === 0 ? [l10n.t('The server asks for your consent and no data.')] : []),
  ].join(' ');
}

type Show = (text: string, maxChars: number) => string;

function formatMessage({ message }: ElicitationRequest, show: Show): string {
  // The message is one paragraph, so that none of its lines can look like a line of the extension.
  const paragraph = message
    .slice(0, 2 * maxMessageChars)
    .trim()
    .replaceAll(/[\r\n]+/g, ' ');
  const text = show(paragraph, maxMessageChars);
  return text === '' ? l10n.t('The server gives no reason.') : l10n.t('Message: “{0}”', text);
}

/** Names the call that waits for the answer. */
function formatAskingTool({ tool }: ElicitationRequest, show: Show): string[] {
  if (tool === undefined) return [];
  return [l10n.t('The call of “{0}” is waiting for your answer.', show(tool, maxServerChars))];
}

function secretWarning(fields: readonly FormField[]): string {
  return l10n.t(
    'Warning: this may ask for a secret ({0}), which servers must not do. Decline unless you are sure.',
    fields.slice(0, maxListedFields).map(fieldLabel).join(', '),
  );
}

export function secretNote(): string {
  return l10n.t('Warning: enter a secret here only if you trust the server with it.');
}

/** The question before a page is opened, as one line. */
export function urlMessage(server: string, { refusal }: UrlAssessment): string {
  const name = visibleText(server, maxServerChars);
  return refusal === undefined
    ? l10n.t('Open the web page that server “{0}” requests?', name)
    : l10n.t('Server “{0}” requests a web page that is not safe to open.', name);
}

/** Shows the host on its own line, because it is easily missed inside a URL. */
export function urlDetail(request: ElicitationRequest, assessment: UrlAssessment): string {
  const { address, host, unicodeHost, refusal, warnings } = assessment;
  return [
    // A dialog renders neither icons nor links, unlike a quick input.
    formatMessage(request, visibleText),
    ...formatAskingTool(request, visibleText),
    '',
    l10n.t('Host: {0}', host),
    ...(unicodeHost === undefined ? [] : [l10n.t('Encoded: {0}', quoted(unicodeHost))]),
    l10n.t('URL: {0}', refusal === 'tooLong' ? quoted(address) : address),
    '',
    ...warnings.map((warning) => urlWarningSentence(warning)),
    refusal === undefined
      ? l10n.t(
          'Nothing has been opened or downloaded. What you enter on the page goes to that host.',
        )
      : refusalSentence(refusal),
  ].join('\n');
}

function refusalSentence(refusal: UrlRefusal): string {
  return {
    scheme: l10n.t('Only https URLs can be opened. Decline it.'),
    userInfo: l10n.t(
      'The URL has a user name before the host, which is often deceptive. Decline it.',
    ),
    tooLong: l10n.t('The URL is too long to check. Decline it.'),
  }[refusal];
}
