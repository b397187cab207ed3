import * as l10n from '@vscode/l10n';

/** Lists the keys of each view. Each fact has a line, because screen readers read line by line. */
export function keyboardHelpText(): string {
  const places: readonly (readonly [string, readonly string[]])[] = [
    [l10n.t('Everywhere'), everywhere()],
    [l10n.t('Servers and Tools'), tree()],
    [l10n.t('Choosing a Tool'), picker()],
    [l10n.t('Calls'), calls()],
    [l10n.t('Arguments'), argumentsOfCall()],
    [l10n.t('The Question Before a Call, and Its Review'), question()],
    [l10n.t('Results'), results()],
  ];
  return places.map(([title, lines]) => [title, ...lines, ''].join('\n')).join('\n');
}

function everywhere(): readonly string[] {
  return [
    l10n.t('F1: shows all commands; those of Toolgate begin with its name.'),
    l10n.t('Ctrl+K G (macOS: Cmd+K G): calls a tool. Ctrl+K L: repeats the last call.'),
    l10n.t(
      '“Focus on Servers and Tools View” and “Focus on Calls View” in F1: open the two views.',
    ),
    l10n.t('Back in questions with several steps: Alt+Left (Linux: Ctrl+Alt+-, macOS: Ctrl+-).'),
    l10n.t('Escape: closes a question, which never runs anything.'),
  ];
}

function tree(): readonly string[] {
  return [
    l10n.t('Right Arrow and Left Arrow: expand and collapse a server.'),
    l10n.t('Letters: jump to the next matching row.'),
    l10n.t('Enter: calls the tool of a row, or fixes the problem of a row.'),
    l10n.t('Shift+F10: opens the menu of the row.'),
    l10n.t('Ctrl+K Ctrl+I (macOS: Cmd+K Cmd+I): shows the details of the row.'),
    l10n.t('A row is read as its name, its risk, and the source of the risk.'),
  ];
}

function picker(): readonly string[] {
  return [
    l10n.t('Letters: find a tool by its words. Enter: continues to its arguments.'),
    l10n.t('Ctrl+Enter (macOS: Cmd+Enter): runs the tool with the arguments of its last call.'),
  ];
}

function calls(): readonly string[] {
  return [
    l10n.t('Enter: opens the result of the call.'),
    l10n.t('F2: runs the call again with changes.'),
    l10n.t('Delete (macOS: Cmd+Backspace): removes the call.'),
  ];
}

function argumentsOfCall(): readonly string[] {
  return [
    l10n.t('Enter on “Run”: continues to the question, or shows what is missing.'),
    l10n.t('Enter on an argument: edits it. Letters: jump to an argument.'),
    l10n.t('In a document of arguments, F8: goes to the next problem. Tab: the next value.'),
    l10n.t('In a document of arguments, Ctrl+Enter (macOS: Cmd+Enter): runs the call.'),
  ];
}

function question(): readonly string[] {
  return [
    l10n.t('Tab: moves between buttons. Keys in the first half second are ignored.'),
    l10n.t('Enter: runs the call. If it asks once more: Tab, then Enter.'),
    l10n.t('“Review” shows each fact of the call on its own line.'),
    l10n.t('In a review, Ctrl+Enter (macOS: Cmd+Enter): runs the call. Closing it cancels.'),
  ];
}

function results(): readonly string[] {
  return [
    l10n.t('A result gets the focus when it opens. It consists of lines of plain text.'),
    l10n.t('F2: changes its arguments. Ctrl+Enter (macOS: Cmd+Enter): runs it again.'),
    l10n.t('“Show CodeLens Commands for Current Line” in F1: lists the links above a line.'),
    l10n.t('Ctrl+Tab: returns to the previous editor.'),
  ];
}
