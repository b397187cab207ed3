import type { Row } from './treeRows';
import { noMatchRow, originRow, toStartRow } from './placeRows';
import { problemRow } from './problemRow';
import {
  resourceGroupRow,
  resourceNoteRow,
  resourceRow,
  resourcesRow,
  templateRow,
} from './resourceRow';
import type { RowKind } from './rowKind';
import { serverRow } from './serverRow';
import { goneRow, toolGroupRow, toolRow } from './toolRow';

/** Every kind of row; a new one is a module beside these and a line here. */
const rowKinds: { readonly [Kind in Row['kind']]: RowKind<Kind> } = {
  origin: originRow,
  server: serverRow,
  group: toolGroupRow,
  tool: toolRow,
  gone: goneRow,
  problem: problemRow,
  noMatch: noMatchRow,
  toStart: toStartRow,
  resources: resourcesRow,
  resourceGroup: resourceGroupRow,
  resource: resourceRow,
  template: templateRow,
  resourceNote: resourceNoteRow,
};

/** What this row shows and does. */
export function kindOf<Kind extends Row['kind']>({ kind }: { readonly kind: Kind }): RowKind<Kind> {
  return rowKinds[kind];
}
