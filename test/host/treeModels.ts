import { noMarks } from '../../src/host/consent/pins/pinFileFormat';
import { unknownListing } from '../../src/host/resources/serverLists';
import { ListedRows } from '../../src/ui/tree/listedRows';
import { TreeModel, type TreeModelSources } from '../../src/ui/tree/treeModel';

const never = { onDidChange: () => ({ dispose: () => undefined }) };

/** Nothing was listed before, and everything was found out. */
export const nothingKnown = {
  ...never,
  of: () => [],
  isRead: () => true,
  listedAt: () => undefined,
  wasOpen: () => false,
};

const noList = {
  ...never,
  has: () => false,
  of: () => unknownListing,
  want: () => undefined,
  renew: () => undefined,
};

/** No server lists anything besides tools. */
export const noLists = { resources: noList, prompts: noList, skills: noList };

/** A tree in which nothing is marked and no server starts when its row is opened. */
export function treeModelOf(
  registry: TreeModelSources['registry'],
  sources: Partial<TreeModelSources> = {},
): TreeModel {
  return new TreeModel({
    registry,
    marksOf: () => noMarks,
    startsWhenOpened: () => false,
    listed: new ListedRows(noLists),
    lastKnown: nothingKnown,
    isInSet: () => true,
    ...sources,
  });
}
