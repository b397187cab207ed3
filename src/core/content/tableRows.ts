import { isContainer } from '../json/leaves';
import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';

/** A list of rows in an answer, limited to what fits on a page. */
export interface TableRows {
  /** The other, single-valued members of the object that contains the list. May be empty. */
  readonly facts: JsonObject;
  /** Member names of the rows, in order of their first appearance; at most 20. */
  readonly columns: readonly string[];
  /** Includes columns that are not in `columns`. */
  readonly columnCount: number;
  /** The first rows; at most 1,000. */
  readonly rows: readonly JsonObject[];
  readonly rowCount: number;
}

const maxRows = 1_000;
const maxColumns = 20;
/** Limits a row, and the members beside a list. */
const maxMembers = 200;
const maxFacts = 20;
/** Limits the cells that are visited, so that the cost does not grow with the answer. */
const maxCells = 20_000;

/**
 * Recognizes a value that is one flat table: an array of objects with single-valued members, or an
 * object with one such array and single values beside it. Only the rows that are shown are visited.
 * Returns `undefined` for everything else.
 */
export function tableRows(value: JsonValue): TableRows | undefined {
  const found = findList(value);
  if (found === undefined) return undefined;
  const { list, facts } = found;
  const rows: JsonObject[] = [];
  const names = new Set<string>();
  let cells = 0;
  for (const row of list.slice(0, maxRows)) {
    if (!isRow(row)) return undefined;
    const members = Object.keys(row);
    cells += members.length;
    if (cells > maxCells && rows.length > 0) break;
    for (const name of members) names.add(name);
    rows.push(row);
  }
  // A single cell is more readable as JSON.
  if (names.size === 0 || (names.size === 1 && list.length === 1)) return undefined;
  const columns = [...names].slice(0, maxColumns);
  return { facts, columns, columnCount: names.size, rows, rowCount: list.length };
}

/** Returns the array, and the members beside it if it is a member. */
export function findList(
  value: JsonValue,
): { readonly list: readonly JsonValue[]; readonly facts: JsonObject } | undefined {
  if (isList(value)) return { list: value, facts: {} };
  if (!isJsonObject(value) || !hasAtMost(value, maxFacts + 1)) return undefined;
  const members = Object.entries(value);
  const lists = members.flatMap(([, member]) => (isList(member) ? [member] : []));
  const [list] = lists;
  if (list === undefined || lists.length > 1) return undefined;
  if (members.some(([, member]) => member !== list && !isScalar(member))) return undefined;
  return { list, facts: value };
}

/** True for an object with a limited number of single values. */
function isRow(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !hasAtMost(value, maxMembers)) return false;
  return Object.values(value).every(isScalar);
}

function hasAtMost(value: JsonObject, limit: number): boolean {
  let count = 0;
  for (const _ in value) {
    count += 1;
    if (count > limit) return false;
  }
  return true;
}

/** True for values that are neither arrays nor objects. */
export function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && !isContainer(value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
