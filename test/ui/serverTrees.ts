import * as vscode from 'vscode';
import { noMarks } from '../../src/host/consent/pins/pinFileFormat';
import { ServerTree, type ServerTreeOptions } from '../../src/ui/tree/serverTree';
import { noLists, nothingKnown } from '../host/treeModels';

const onDidChange = () => new vscode.Disposable(() => undefined);

/** A tree in which nothing is marked, grouped, left out or known from before. */
export function serverTreeOf(
  registry: ServerTreeOptions['registry'],
  filter: ServerTreeOptions['filter'],
  more: Partial<ServerTreeOptions> = {},
): ServerTree {
  return new ServerTree({
    registry,
    filter,
    pins: { marks: () => noMarks, onDidChange },
    processes: { startsWhenOpened: () => false },
    lists: noLists,
    grouping: { current: { groupsByOrigin: false }, onDidChange },
    lastKnown: nothingKnown,
    toolSets: { holds: () => true, chosen: undefined, sets: new Map(), onDidChange },
    ...more,
  });
}
