import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import { parseJson } from '../../core/json/parseJson';
import { stringifyExactly, toExactNumber, WrittenNumber } from '../../core/json/writtenNumber';

const invalidRequest = -32_600;
const sentence =
  'Toolgate cannot read this request: its "id", "params", "_meta" or "progressToken" has a type that MCP does not define, or is a number that JavaScript cannot hold.';

/**
 * Returns the answer to a request that the SDK would drop, or answer with another id; `undefined`
 * for any other message.
 *
 * @param text The JSON of the message.
 */
export function malformedRequestAnswer(message: unknown, text: string): string | undefined {
  if (!isRequest(message) || isJSONRPCRequest(message)) return undefined;
  const error = { code: invalidRequest, message: sentence };
  return stringifyExactly({ jsonrpc: '2.0', id: idAsWritten(message, text), error });
}

function isRequest(message: unknown): message is UnknownObject {
  if (!isObject(message) || typeof message.method !== 'string') return false;
  return canBeAnswered(message.id);
}

/** True for the ids that an agent may have meant, also those that JavaScript cannot hold. */
export function canBeAnswered(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number' || id instanceof WrittenNumber;
}

/**
 * Replaces the ids of requests that are integers in another spelling, such as `1.0`, because the
 * SDK accepts JavaScript numbers only. Changes `value`, one message or a batch, and returns it.
 */
export function withIntegerIds(value: unknown): unknown {
  for (const message of Array.isArray(value) ? value : [value]) {
    if (!isObject(message) || !(message.id instanceof WrittenNumber)) continue;
    Reflect.set(message, 'id', toExactNumber(message.id));
  }
  return value;
}

/** The ids of messages are read as JavaScript numbers, but those of other objects as written. */
function idAsWritten(message: UnknownObject, text: string): unknown {
  if (typeof message.id !== 'number' || Number.isSafeInteger(message.id)) return message.id;
  const outer = parseJson(`{"message":${text}}`);
  return isObject(outer) && isObject(outer.message) ? outer.message.id : message.id;
}
