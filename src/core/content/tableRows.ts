import { isContainer } from '../json/leaves';
import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';

/** A list of rows as it stands in an answer, and as much of it as a person reads on a page. */
export interface TableRows {
  /** The object that the list is a member of, whose other members are single values; or empty. */
  readonly facts: JsonObject;
  /** Names of members of the rows, in the order in which they come first; at most 20. */
  readonly columns: readonly string[];
  /** With those that are not in `columns`. */
  readonly columnCount: number;
  /** The first ones, at most 1,000. */
  readonly rows: readonly JsonObject[];
  readonly rowCount: number;
}

const maxRows = 1_000;
const maxColumns = 20;
/** An object with more members is no row, and what stands beside a list of rows is less. */
const maxMembers = 200;
const maxFacts = 20;
/** In all rows that are looked at: what a table costs does not grow with the answer. */
const maxCells = 20_000;

/**
 * What `value` says, if all of it is one flat list of rows: an array of objects whose members are
 * single values, or an object with one such array and single values beside it. Only the rows that
 * are shown are looked at; `undefined` for everything else.
 */
export function tableRows(value: JsonValue): TableRows | undefined {
  const found = listIn(value);
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
  // One cell is no table: it says less than the JSON.
  if (names.size === 0 || (names.size === 1 && list.length === 1)) return undefined;
  const columns = [...names].slice(0, maxColumns);
  return { facts, columns, columnCount: names.size, rows, rowCount: list.length };
}

/** The array, and what stands beside it where it is a member. */
function listIn(
  value: JsonValue,
): { readonly list: readonly JsonValue[]; readonly facts: JsonObject } | undefined {
  if (isList(value)) return { list: value, facts: {} };
  if (!isJsonObject(value) || !hasAtMost(value, maxFacts + 1)) return undefined;
  const members = Object.entries(value);
  const lists = members.flatMap(([, member]) => (isList(member) ? [member] : []));
  const [list] = lists;
  if (list === undefined || lists.length > 1) return undefined;
  if (members.some(([, member]) => member !== list && !isSingle(member))) return undefined;
  return { list, facts: value };
}

/** An object of a bounded number of single values. */
function isRow(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !hasAtMost(value, maxMembers)) return false;
  return Object.values(value).every(isSingle);
}

function hasAtMost(value: JsonObject, limit: number): boolean {
  let count = 0;
  for (const _ in value) {
    count += 1;
    if (count > limit) return false;
  }
  return true;
}

/** Neither a list nor an object. */
export function isSingle(value: JsonValue | undefined): boolean {
  return value !== undefined && !isContainer(value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
