import * as l10n from '@vscode/l10n';

/** Which key does what, place by place. A line a fact, because that is how they are read aloud. */
export function keyboardHelpText(): string {
  const places: readonly (readonly [string, readonly string[]])[] = [
    [l10n.t('Everywhere'), everywhere()],
    [l10n.t('Servers and Tools'), tree()],
    [l10n.t('Choosing a tool'), picker()],
    [l10n.t('Calls'), calls()],
    [l10n.t('Arguments'), argumentsOfCall()],
    [l10n.t('The question before a call, and its review'), question()],
    [l10n.t('Results'), results()],
  ];
  return places.map(([title, lines]) => [title, ...lines, ''].join('\n')).join('\n');
}

function everywhere(): readonly string[] {
  return [
    l10n.t('F1: all commands; those of Toolgate begin with its name.'),
    l10n.t('“Focus on Servers and Tools View” and “Focus on Calls View” in F1: to the two views.'),
    l10n.t('Back in questions of several steps: Alt+Left (Linux: Ctrl+Alt+-, macOS: Ctrl+-).'),
    l10n.t('Escape: closes a question; that is always a no.'),
  ];
}

function tree(): readonly string[] {
  return [
    l10n.t('Right Arrow and Left Arrow: open and close a server.'),
    l10n.t('Letters: to the next row that has them.'),
    l10n.t('Enter: calls the tool of a row, or does what helps on a row that says what is wrong.'),
    l10n.t('Shift+F10: the menu of the row.'),
    l10n.t('Ctrl+K Ctrl+I (macOS: Cmd+K Cmd+I): what is known of the row.'),
    l10n.t('A row is read as its name, its risk, and how that is known.'),
  ];
}

function picker(): readonly string[] {
  return [
    l10n.t('Letters: find a tool by any of its words. Enter: goes on to its arguments.'),
    l10n.t('Ctrl+Enter (macOS: Cmd+Enter): runs it with the arguments of its last call.'),
  ];
}

function calls(): readonly string[] {
  return [
    l10n.t('Enter: opens the result of the call.'),
    l10n.t('F2: runs it again with changes.'),
    l10n.t('Delete (macOS: Cmd+Backspace): removes it.'),
  ];
}

function argumentsOfCall(): readonly string[] {
  return [
    l10n.t('Enter on “Run”: goes on to the question, or says what is missing.'),
    l10n.t('Enter on an argument: asks for it. Letters: to an argument.'),
    l10n.t('In a document of arguments, F8: to the next problem.'),
    l10n.t('In a document of arguments, Ctrl+Enter (macOS: Cmd+Enter): runs.'),
  ];
}

function question(): readonly string[] {
  return [
    l10n.t('Tab: from button to button. What is pressed in the first half second does not count.'),
    l10n.t('Enter: runs. Where that is asked about once more: Tab, then Enter.'),
    l10n.t('“Review” has each fact of the call in a line of its own.'),
    l10n.t('In a review, Ctrl+Enter (macOS: Cmd+Enter): runs. Closing it means no.'),
  ];
}

function results(): readonly string[] {
  return [
    l10n.t('A result opens with the focus, in lines of plain text.'),
    l10n.t('“Show CodeLens Commands for Current Line” in F1: what stands above a line.'),
    l10n.t('Ctrl+Tab: back to where you were.'),
  ];
}
