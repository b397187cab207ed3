import * as l10n from '@vscode/l10n';
import { assertNever } from '../core/errors';
import { formatOf, serversKey } from '../host/configuration/configurationFormats';
import { suggestKey } from '../host/configuration/entryKeys';
import type { ConfigProblem } from '../host/configuration/serverConfig';

/**
 * Returns one or two sentences about a problem; `quoted` limits text from the file and makes it
 * safe to display.
 */
export function formatConfigProblem(
  problem: ConfigProblem,
  quoted: (text: string | undefined) => string,
): string {
  const detail = quoted(problem.detail);
  const key = quoted(problem.detail ?? String(problem.path.at(-1) ?? ''));
  const withDetail = (sentence: string): string =>
    detail === '' ? sentence : l10n.t('{0} Details: “{1}”', sentence, detail);
  switch (problem.code) {
    case 'notJson': {
      const hint = jsonSyntaxSentence(problem.detail);
      if (hint !== undefined) return l10n.t('This is not valid JSON. {0}', hint);
      return withDetail(l10n.t('This is not valid JSON. Correct it to load its servers.'));
    }
    case 'notAnObject':
      return l10n.t('An object is required here.');
    case 'unknownKey':
      return unknownKeySentence(problem, key);
    case 'foreignKey':
      return l10n.t(
        'Toolgate supports this key here, but other programs read only “{0}” in this file.',
        detail,
      );
    case 'unsupportedKey':
      return l10n.t('Toolgate does not support the key “{0}” here. Remove it.', key);
    case 'duplicateKey':
      return l10n.t('Duplicate key “{0}”. The last one is used.', key);
    case 'wrongType':
      return withDetail(l10n.t('The value has the wrong type.'));
    case 'missingCommand':
      return l10n.t('Add "command" or "url" to define how the server is reached.');
    case 'missingVariable':
      return l10n.t('Variable “{0}” has no value. Set it, or change this line.', detail);
    case 'unsupportedVariable':
      return l10n.t('Variable “{0}” is not supported. Enter the value itself.', detail);
    case 'unknownInput':
      return l10n.t(
        'The input “{0}” is not defined. Define it under "inputs" in this file.',
        detail,
      );
    case 'invalidUrl':
      return withDetail(l10n.t('This is not a valid http or https URL.'));
    case 'shadowed':
      return l10n.t(
        'Ignored because an earlier configuration has a server with this name. Rename one of them.',
      );
    case 'ownBridge':
      return l10n.t('Ignored because this is the bridge for agents: Toolgate would call itself.');
    case 'unreadable':
      return withDetail(l10n.t('The file cannot be read. Check its permissions.'));
    case 'literalSecret':
      return l10n.t(
        '“{0}” looks like a secret in plain text. Move it to secret storage, or use a variable.',
        detail,
      );
    case 'signInUnused':
      return l10n.t(
        'No effect: the "Authorization" header replaces the sign-in. Remove one of the two.',
      );
    case 'incompleteSignIn':
      return l10n.t(
        'Enterprise-managed access requires “{0}”. Add it, or remove the “identity…” keys.',
        detail,
      );
    case 'programMissing':
      return l10n.t(
        'Program “{0}” was not found on this machine. Install it, or enter its full path.',
        detail,
      );
    case 'programElsewhere':
      return l10n.t('Toolgate finds this program at “{0}”, but other clients may not.', detail);
    case 'isFolder':
      return l10n.t('A folder has the name of the configuration file. Rename the folder.');
    case 'notAFile':
      return l10n.t('This is a pipe or a device, which is not read. Replace it with a file.');
    case 'noPermission':
      return l10n.t('You do not have permission to read this file. Change its permissions.');
    case 'linkLoop':
      return l10n.t('This link points back to itself. Replace it with a file.');
    case 'tooLarge':
      return l10n.t('The file is not read because it is too large for a configuration.');
    default:
      return assertNever(problem.code);
  }
}

function unknownKeySentence({ path, source }: ConfigProblem, key: string): string {
  const format = formatOf(source);
  // A setting has the entries at its top.
  const inFile = source.kind === 'setting' ? [serversKey(format), ...path] : path;
  const meant = path.length === 0 ? undefined : suggestKey(inFile, format, new Set());
  return meant === undefined
    ? l10n.t('Unknown key “{0}”. It is ignored.', key)
    : l10n.t('Unknown key “{0}”. Did you mean “{1}”?', key, meant);
}

/** Returns what corrects this error of the JSON parser, or `undefined` for a rare one. */
export function jsonSyntaxSentence(parserCode: string | undefined): string | undefined {
  switch (parserCode ?? '') {
    case 'PropertyNameExpected':
      return l10n.t('Enter a name in double quotes.');
    case 'ValueExpected':
      return l10n.t('Enter a value.');
    case 'ColonExpected':
      return l10n.t('Add a colon.');
    case 'CommaExpected':
      return l10n.t('Add a comma.');
    case 'CloseBraceExpected':
      return l10n.t('Add a closing brace.');
    case 'CloseBracketExpected':
      return l10n.t('Add a closing bracket.');
    case 'EndOfFileExpected':
      return l10n.t('Remove the text after the end.');
    case 'UnexpectedEndOfString':
      return l10n.t('Add a closing quote.');
    default:
      return undefined;
  }
}
