import * as l10n from '@vscode/l10n';
import { ThemeIcon } from 'vscode';
import { assertNever } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { DraftNote, ServerDraft } from '../../host/adding/draft';
import { type FoundSecret, findDraftSecrets, withInputs } from '../../host/adding/draftSecrets';
import { type LinkProblem, maxLinkChars } from '../../host/adding/serverLinks';
import type { RecognizedText } from '../../host/adding/recognize';
import { quoted } from '../format/sentences';

const maxLineChars = 600;
const maxFullChars = 4_000;

/** Says as what a text was recognized. */
export function formatRecognised({ kind, drafts }: RecognizedText): string {
  const count = drafts.length;
  switch (kind) {
    case 'json':
      return count === 1
        ? l10n.t('Configuration of a server')
        : l10n.t('Configuration of {0} servers', count);
    case 'installLink':
      return l10n.t('Link of an install button');
    case 'addCommand':
      return l10n.t('Command of another client that adds a server');
    case 'address':
      return l10n.t('URL of a server');
    case 'commandLine':
      return l10n.t('Command line');
    case 'npm':
      return l10n.t('npm package, run by npx');
    case 'pypi':
      return l10n.t('Python package, run by uvx');
    case 'docker':
      return l10n.t('Container image, run by Docker');
    case 'nuget':
      return l10n.t('NuGet package, run by dnx');
    default:
      return assertNever(kind);
  }
}

/** Is shown beside this text; screen readers do not read it. */
export function recognisedIcon({ kind }: RecognizedText): ThemeIcon {
  return new ThemeIcon(recognisedIcons[kind]);
}

const recognisedIcons: Readonly<Record<RecognizedText['kind'], string>> = {
  json: 'json',
  installLink: 'link',
  addCommand: 'terminal',
  address: 'globe',
  commandLine: 'terminal',
  npm: 'package',
  pypi: 'package',
  docker: 'package',
  nuget: 'package',
};

/** Returns the transport in one short line. Secrets appear as the inputs that they can become. */
export function transportLine(draft: ServerDraft): string {
  const { command, args = [], env = {}, url = '' } = masked(draft).entry;
  const names = Object.keys(env).map((name) => `${name}=…`);
  const text =
    command === undefined ? url : [...names, command, ...args.map(shownArgument)].join(' ');
  return visibleText(text, maxLineChars);
}

/**
 * Returns everything that decides what runs or is contacted, in lines. Secrets appear as in {@link
 * transportLine}.
 */
export function fullTransport(draft: ServerDraft): string {
  const { command, args = [], env = {}, envFile, cwd, url, headers = {} } = masked(draft).entry;
  const lines =
    command === undefined
      ? [
          l10n.t('URL: {0}', shown(url ?? '')),
          ...Object.entries(headers).map(([name, value]) =>
            l10n.t('Header: {0}: {1}', shown(name), shown(value)),
          ),
        ]
      : [
          l10n.t('Command: {0}', shown([command, ...args.map(shownArgument)].join(' '))),
          ...Object.entries(env).map(([name, value]) =>
            value === null
              ? l10n.t('Unsets variable {0}', shown(name))
              : l10n.t('Variable: {0}={1}', shown(name), shown(String(value))),
          ),
          ...(envFile === undefined ? [] : [l10n.t('Variables from: {0}', shown(envFile))]),
          ...(cwd === undefined ? [] : [l10n.t('Folder: {0}', shown(cwd))]),
        ];
  return lines.join('\n');
}

export function draftNoteSentence(note: DraftNote): string {
  switch (note.kind) {
    case 'leftOut':
      return l10n.t('Not supported and left out: {0}.', quoted(note.keys.join(', ')));
    case 'disabled':
      return l10n.t('It is disabled in its source.');
    case 'notInteractive':
      return l10n.t('Add -i; otherwise the container receives no input.');
    case 'defaultLost':
      return l10n.t('Variable {0} has no default here; set it.', quoted(note.variables.join(', ')));
    default:
      return assertNever(note);
  }
}

/** Describes where a secret was found. */
export function formatSecretPlace({ place, name }: FoundSecret): string {
  const named = quoted(name);
  return {
    variable: l10n.t('variable {0}', named),
    header: l10n.t('header {0}', named),
    argument: l10n.t('argument {0}', named),
    address: l10n.t('{0} in the URL', named),
  }[place];
}

export function linkProblemSentence(problem: LinkProblem): string {
  switch (problem.kind) {
    case 'unknownPath':
      return l10n.t('The link was not opened: Toolgate does not support this request.');
    case 'tooLong':
      return l10n.t('The link was not opened: it is longer than {0} characters.', maxLinkChars);
    case 'hiddenCharacters':
      return l10n.t('The link was not opened: it contains invisible characters.');
    case 'noServer':
      return l10n.t('The link was not opened: it does not describe a server.');
    case 'badName':
      return l10n.t('The link was not opened: the name of the server is empty or too long.');
    case 'unknownParameter':
      return l10n.t(
        'The link was not opened: “{0}” is unknown or appears twice.',
        quoted(problem.name),
      );
    default:
      return assertNever(problem);
  }
}

function shown(text: string): string {
  return visibleText(text, maxFullChars);
}

function masked(draft: ServerDraft): ServerDraft {
  return withInputs(draft, findDraftSecrets(draft), new Set()).draft;
}

function shownArgument(text: string): string {
  return text === '' || /[\s"']/.test(text) ? JSON.stringify(text) : text;
}
