import { createHash } from 'node:crypto';
import { isContainer } from '../json/leaves';
import { isSameJson } from '../json/sameJson';
import { isObject, type UnknownObject } from '../json/shapes';
import { isNumber } from '../json/writtenNumber';

/** A request of a recording, as far as it is compared. */
export interface RecordedRequest {
  readonly method: string;
  readonly params: UnknownObject;
  wasUsed: boolean;
}

/** Requests with equal parameters, in the order of the recording. */
interface SameExchanges<T extends RecordedRequest> {
  readonly params: UnknownObject;
  readonly exchanges: Queue<T>;
}

/**
 * Finds the recorded request that a client repeats, by its method and parameters or by its method
 * alone. The time for it does not grow with the recording.
 */
export class RecordedRequests<T extends RecordedRequest> {
  readonly #byMethod = new Map<string, Queue<T>>();
  /** Keyed by a digest of method and parameters, which may collide. */
  readonly #byParams = new Map<string, SameExchanges<T>[]>();

  constructor(exchanges: readonly T[]) {
    for (const exchange of exchanges) {
      const { method } = exchange;
      queueIn(this.#byMethod, method).add(exchange);
      const params = comparable(exchange.params);
      const digest = digestOf(method, params);
      if (digest === undefined) continue;
      const alike = this.#byParams.get(digest) ?? [];
      this.#byParams.set(digest, alike);
      const same = alike.find((each) => isSameJson(each.params, params));
      if (same !== undefined) same.exchanges.add(exchange);
      else {
        const queue = new Queue<T>();
        queue.add(exchange);
        alike.push({ params, exchanges: queue });
      }
    }
  }

  /** Returns the next unused request with these parameters, or else the last one. */
  find(method: string, params: UnknownObject): T | undefined {
    const asked = comparable(params);
    const alike = this.#byParams.get(digestOf(method, asked) ?? '') ?? [];
    return alike.find((each) => isSameJson(each.params, asked))?.exchanges.next;
  }

  /** Returns the next unused request with this method, or else the last one. */
  findByMethod(method: string): T | undefined {
    return this.#byMethod.get(method)?.next;
  }

  ofMethod(method: string): readonly T[] {
    return this.#byMethod.get(method)?.all ?? [];
  }
}

/** Items can be used through another queue in the meantime. */
class Queue<T extends { readonly wasUsed: boolean }> {
  readonly all: T[] = [];
  #first = 0;

  add(item: T): void {
    this.all.push(item);
  }

  get next(): T | undefined {
    while (this.all[this.#first]?.wasUsed === true) this.#first += 1;
    return this.all[this.#first] ?? this.all.at(-1);
  }
}

function queueIn<T extends { readonly wasUsed: boolean }>(
  queues: Map<string, Queue<T>>,
  key: string,
): Queue<T> {
  const known = queues.get(key) ?? new Queue<T>();
  queues.set(key, known);
  return known;
}

/**
 * Removes what a recording does not have: the user's answers, and the state of calls with several
 * rounds. Also removes empty arguments, which some clients omit.
 */
function comparable(params: UnknownObject): UnknownObject {
  const { inputResponses, requestState: _, _meta: __, arguments: given, ...rest } = params;
  const isEmpty = given === undefined || (isObject(given) && Object.keys(given).length === 0);
  return {
    ...rest,
    ...(isEmpty ? {} : { arguments: given }),
    isAnswered: inputResponses !== undefined,
  };
}

/** More deeply nested values equal nothing; see {@link isSameJson}. */
const maxDepth = 500;

/**
 * Equal for parameters that {@link isSameJson} considers equal; `undefined` for those that equal
 * nothing.
 */
function digestOf(method: string, params: UnknownObject): string | undefined {
  const hash = createHash('sha256');
  hash.update(`${method.length}:${method}`);
  return addTo(hash, params, 0) ? hash.digest('base64') : undefined;
}

/** Returns false if the value is nested too deeply. */
function addTo(hash: ReturnType<typeof createHash>, value: unknown, depth: number): boolean {
  if (depth > maxDepth) return false;
  if (isNumber(value)) hash.update(`n${Number(String(value))};`);
  else if (typeof value === 'string') hash.update(`s${value.length}:${value}`);
  else if (typeof value === 'boolean' || value === null) hash.update(`${value};`);
  else if (!isContainer(value)) hash.update('b;');
  else if (Array.isArray(value)) {
    hash.update(`l${value.length};`);
    return value.every((item: unknown) => addTo(hash, item, depth + 1));
  } else {
    const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    hash.update(`o${members.length};`);
    return members.every(([name, member]: [string, unknown]) => {
      hash.update(`${name.length}:${name}`);
      return addTo(hash, member, depth + 1);
    });
  }
  return true;
}
