import { noMarks } from '../../src/host/consent/pins/pinMarks';
import { unknownResources } from '../../src/host/resources/resourceLists';
import { ResourceRows } from '../../src/ui/tree/resourceRows';
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

/** No server has resources. */
export const noResources = {
  ...never,
  has: () => false,
  of: () => unknownResources,
  want: () => undefined,
};

/** A tree in which nothing is marked and no server starts when its row is opened. */
export function treeModelOf(
  registry: TreeModelSources['registry'],
  sources: Partial<TreeModelSources> = {},
): TreeModel {
  return new TreeModel({
    registry,
    marksOf: () => noMarks,
    startsWhenOpened: () => false,
    resources: new ResourceRows(noResources),
    lastKnown: nothingKnown,
    isInSet: () => true,
    ...sources,
  });
}
