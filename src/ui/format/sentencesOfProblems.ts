import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import { assertNever } from '../../core/errors';
import type { ListProblem, SkillFault, ToolProblem } from '../../core/types';
import { visibleText } from '../../core/visibleText';
import { isCopilotFile } from '../../host/configuration/configurationFormats';
import type { ConfigProblem, ConfigSource } from '../../host/configuration/serverConfig';
import { settings } from '../../ids';
import { formatConfigProblem } from '../../texts/configProblems';
import { formatToolProblem } from '../../texts/toolProblemTexts';
import { quoted } from './sentences';
import { windowFacts } from './windowFacts';

const maxPathChars = 300;

/** Explains why a tool is unusual or cannot be called. */
export function toolProblemSentence(problem: ToolProblem): string {
  return formatToolProblem(problem, quoted);
}

/** Explains why a list of a server may be incomplete. */
export function listProblemSentence(serverLabel: string, problem: ListProblem): string {
  const server = quoted(serverLabel);
  switch (problem.code) {
    case 'repeatedCursor':
      return l10n.t(
        'Server “{0}” repeats a page of its list, so the list ends there. Tell its author.',
        server,
      );
    case 'repeatedEntries':
      return l10n.t(
        'Server “{0}” lists entries on several pages, which are shown once: {1}.',
        server,
        problem.count,
      );
    case 'emptyPages':
      return l10n.t(
        'Server “{0}” sent {1} empty pages in a row, so its list ends there. Tell its author.',
        server,
        problem.limit,
      );
    case 'tooManyPages':
      return l10n.t(
        'Server “{0}” sends its list on more than {1} pages; the rest is ignored.',
        server,
        problem.limit,
      );
    case 'tooManyTools':
      return l10n.t(
        'Server “{0}” lists more than {1} tools; the rest is ignored.',
        server,
        problem.limit,
      );
    case 'tooManyResources':
      return l10n.t(
        'Server “{0}” lists more than {1} entries; the rest is ignored.',
        server,
        problem.limit,
      );
    case 'tooManyTasks':
      return l10n.t(
        'Server “{0}” lists more than {1} tasks; the rest is ignored.',
        server,
        problem.limit,
      );
    case 'unusableEntries':
      return l10n.t(
        'Server “{0}” lists entries without a name or a URI, which are ignored: {1}.',
        server,
        problem.count,
      );
    case 'unusableSkill':
      return l10n.t(
        'Skill “{1}” of server “{0}” is ignored. {2}',
        server,
        quoted(problem.uri),
        skillFaultSentence(problem.fault),
      );
    case 'alwaysChanging':
      return l10n.t(
        'Server “{0}” announces changes after each list, so it is asked only every few seconds.',
        server,
      );
    case 'pageFailed':
      return l10n.t(
        'Server “{0}” did not send its whole list. Refresh it, or see its log. Details: “{1}”',
        server,
        quoted(problem.detail),
      );
    default:
      return assertNever(problem);
  }
}

function skillFaultSentence(fault: SkillFault): string {
  return {
    uri: l10n.t('Its URI does not end in “/SKILL.md”.'),
    frontmatter: l10n.t('Its frontmatter has no name or no description.'),
    name: l10n.t('Its folder does not have the name of the skill.'),
    files: l10n.t('Its list of files is invalid or incomplete.'),
    outside: l10n.t('It lists a file outside of its folder.'),
    repeated: l10n.t('It is listed more than once.'),
  }[fault];
}

/** Reports lines on stdout that were no messages. */
export function garbageSentence(serverLabel: string, lines: number): string {
  return l10n.t(
    'Server “{0}” wrote lines to stdout that are not MCP: {1}. See its log.',
    quoted(serverLabel),
    lines,
  );
}

/** Says what a server that does not answer has printed instead. */
export function printedSentence(serverLabel: string, printed: string): string {
  return l10n.t(
    'Server “{0}” has not answered yet. It printed “{1}” to stdout, which is not MCP.',
    quoted(serverLabel),
    quoted(printed),
  );
}

/** Explains what is wrong in a configuration, and where. */
export function configProblemSentence(problem: ConfigProblem): string {
  const what = formatConfigProblem(problem, quoted);
  const server = quoted(problem.server);
  const where =
    problem.path.length === 0
      ? formatProblemPlace(problem)
      : l10n.t('{0}, at {1}', formatSource(problem.source), pathText(problem.path));
  if (server === '') return l10n.t('{0}: {1}', where, what);
  return problem.fatal
    ? l10n.t('{0}: {1} Server “{2}” cannot start until this is corrected.', where, what, server)
    : l10n.t('{0}: {1} Server “{2}” can start anyway.', where, what, server);
}

/** Names the file of a problem, and the line if it is not JSON. */
export function formatProblemPlace({ source, line }: ConfigProblem): string {
  const file = formatSource(source);
  return line === undefined || !('path' in source) ? file : l10n.t('{0}, line {1}', file, line);
}

/** Names the place where a server is configured. */
export function formatSource(source: ConfigSource): string {
  switch (source.kind) {
    case 'workspaceFile':
      return visibleText(windowFacts().relativePath(source.path), maxPathChars);
    case 'userFile':
      return isCopilotFile(source) ? l10n.t('Your mcp-config.json') : l10n.t('Your mcp.json');
    case 'setting':
      return l10n.t('Setting "{0}"', `${settings.section}.${settings.servers}`);
    case 'recording':
      return l10n.t('Recording {0}', visibleText(basename(source.path), maxPathChars));
    case 'demo':
      return l10n.t('Demo server of Toolgate');
    default:
      return assertNever(source);
  }
}

/** Two or three words for a narrow sidebar. */
export function configProblemTitle({ code }: ConfigProblem): string {
  return {
    notJson: l10n.t('Not valid JSON'),
    notAnObject: l10n.t('Wrong type'),
    wrongType: l10n.t('Wrong type'),
    unknownKey: l10n.t('Unknown key'),
    foreignKey: l10n.t('Key of another format'),
    unsupportedKey: l10n.t('Unsupported key'),
    duplicateKey: l10n.t('Duplicate key'),
    missingCommand: l10n.t('Missing command'),
    missingVariable: l10n.t('Variable without value'),
    unsupportedVariable: l10n.t('Unsupported variable'),
    unknownInput: l10n.t('Undefined input'),
    invalidUrl: l10n.t('Invalid URL'),
    shadowed: l10n.t('Duplicate name'),
    ownBridge: l10n.t('Bridge for agents'),
    literalSecret: l10n.t('Secret in the file'),
    signInUnused: l10n.t('Sign-in without effect'),
    incompleteSignIn: l10n.t('Sign-in incomplete'),
    programMissing: l10n.t('Program not found'),
    programElsewhere: l10n.t('Program not found'),
    unreadable: l10n.t('Cannot be read'),
    noPermission: l10n.t('Cannot be read'),
    linkLoop: l10n.t('Cannot be read'),
    isFolder: l10n.t('Not a file'),
    notAFile: l10n.t('Not a file'),
    tooLarge: l10n.t('File too large'),
  }[code];
}

/** Formats a JSON path, for example `servers.everything.args[0]`. */
function pathText(path: readonly (string | number)[]): string {
  const text = path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`,
    )
    .join('');
  return visibleText(text, maxPathChars);
}
