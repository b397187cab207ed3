import * as l10n from '@vscode/l10n';
import { assertNever } from '../core/errors';
import type { ConfigProblem } from '../host/configuration/serverConfig';

/**
 * What is wrong, in one sentence or two; `quoted` bounds what comes from the file and makes it fit for
 * where it is shown.
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
    case 'notJson':
      return withDetail(l10n.t('This is not valid JSON. Correct it to load its servers.'));
    case 'notAnObject':
      return l10n.t('An object is expected here.');
    case 'unknownKey':
      return l10n.t('The key “{0}” is unknown and is ignored.', key);
    case 'foreignKey':
      return l10n.t(
        'Toolgate reads this key here, too; other programs read only “{0}” in this file.',
        detail,
      );
    case 'unsupportedKey':
      return l10n.t(
        'The key “{0}” asks for something that Toolgate cannot do here. Remove it.',
        key,
      );
    case 'duplicateKey':
      return l10n.t('Duplicate key “{0}”; the last one counts.', key);
    case 'wrongType':
      return withDetail(l10n.t('The value is of the wrong type.'));
    case 'missingCommand':
      return l10n.t('Either "command" or "url" must say how to reach the server.');
    case 'missingVariable':
      return l10n.t('The variable “{0}” has no value. Set it, or change this line.', detail);
    case 'unsupportedVariable':
      return l10n.t('The variable “{0}” is not supported. Write the value itself.', detail);
    case 'unknownInput':
      return l10n.t(
        'The input “{0}” is not defined. Define it under "inputs" in this file.',
        detail,
      );
    case 'invalidUrl':
      return withDetail(l10n.t('This is not a valid http or https URL.'));
    case 'shadowed':
      return l10n.t(
        'Ignored: an earlier configuration has a server of this name. Rename one to have both.',
      );
    case 'ownBridge':
      return l10n.t(
        'Left out here: this starts the bridge by which agents reach Toolgate, which would call itself.',
      );
    case 'unreadable':
      return withDetail(l10n.t('The file cannot be read. Check its permissions.'));
    case 'literalSecret':
      return l10n.t(
        '“{0}” looks like a secret in plain text. Move it to secret storage, or use a variable.',
        detail,
      );
    case 'signInUnused':
      return l10n.t(
        'No effect: the header "Authorization" is sent, so nobody signs in. Remove one of the two.',
      );
    case 'incompleteSignIn':
      return l10n.t(
        'Access by a company needs “{0}”, too. Add it, or remove the “identity…” keys.',
        detail,
      );
    case 'programMissing':
      return l10n.t(
        'The program “{0}” is not found on this machine. Install it, or write its full path.',
        detail,
      );
    case 'programElsewhere':
      return l10n.t(
        'Toolgate finds this program at “{0}”, where other clients may not look.',
        detail,
      );
    case 'isFolder':
      return l10n.t('There is a folder of this name where the file would be. Rename it.');
    case 'notAFile':
      return l10n.t('This is a pipe or a device, not a file, and is not read. Put a file here.');
    case 'noPermission':
      return l10n.t('You are not allowed to read this file. Change its permissions.');
    case 'linkLoop':
      return l10n.t('This is a link that leads back to itself. Replace it by a file.');
    case 'tooLarge':
      return l10n.t('The file is too large to be a configuration and is not read.');
    default:
      return assertNever(problem.code);
  }
}
