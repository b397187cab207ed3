import { createHash } from 'node:crypto';
import { isContainer } from '../json/leaves';
import { isSameJson } from '../json/sameJson';
import { isObject, type UnknownObject } from '../json/shapes';
import { isNumber } from '../json/writtenNumber';

/** A request of a recording, as far as it is looked for. */
export interface RecordedRequest {
  readonly method: string;
  readonly params: UnknownObject;
  wasUsed: boolean;
}

/** Requests with the same parameters, in the order of the recording. */
interface SameExchanges<T extends RecordedRequest> {
  readonly params: UnknownObject;
  readonly exchanges: Queue<T>;
}

/**
 * Finds the request of a recording that a client makes again, by its method and parameters or by its
 * method alone. What that takes does not grow with the recording.
 */
export class RecordedRequests<T extends RecordedRequest> {
  readonly #byMethod = new Map<string, Queue<T>>();
  /** By a digest of method and parameters, which different ones may share. */
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

  /** The next with these parameters that was not used, or else the last. */
  find(method: string, params: UnknownObject): T | undefined {
    const asked = comparable(params);
    const alike = this.#byParams.get(digestOf(method, asked) ?? '') ?? [];
    return alike.find((each) => isSameJson(each.params, asked))?.exchanges.next;
  }

  /** The next of this method that was not used, or else the last. */
  findByMethod(method: string): T | undefined {
    return this.#byMethod.get(method)?.next;
  }

  ofMethod(method: string): readonly T[] {
    return this.#byMethod.get(method)?.all ?? [];
  }
}

/** Some can be used elsewhere in the meantime. */
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
 * What a user answered, and the state of a call in rounds, are not in a recording. Some clients leave
 * arguments out that are empty, and others send them.
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

/** What is nested deeper is the same as nothing else; see {@link isSameJson}. */
const maxDepth = 500;

/** The same for parameters that {@link isSameJson} calls the same; `undefined` for what it never does. */
function digestOf(method: string, params: UnknownObject): string | undefined {
  const hash = createHash('sha256');
  hash.update(`${method.length}:${method}`);
  return addTo(hash, params, 0) ? hash.digest('base64') : undefined;
}

/** Whether the value is not nested too deeply. */
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
