import { jsonOrAbsent } from '../json/parseJson';
import type { MessageLimits } from '../rpc/messageLimits';
import { SseStream } from './sseStream';

/** Receives the events of a stream. */
export interface MessageSink {
  /** Called with the parsed value of an event of type `message`. */
  deliver(value: unknown): void;
  /**
   * Called with the data of such an event that is not JSON; with the beginning if it is very large.
   * Untrusted.
   */
  garbage(text: string): void;
  /** Called for events of other types. If absent, they are ignored. */
  other?(type: string, data: string): void;
}

/** Creates a stream whose events are messages; very large ones are parsed while they arrive. */
export function messageStream(limits: MessageLimits, sink: MessageSink): SseStream {
  return new SseStream(
    limits,
    (type, data) => {
      if (type !== 'message') {
        sink.other?.(type, data);
        return;
      }
      const value = jsonOrAbsent(data);
      if (value === undefined) sink.garbage(data);
      else sink.deliver(value);
    },
    (type, data) => {
      if (type !== 'message') return;
      if (data.kind === 'garbage') sink.garbage(data.excerpt);
      else sink.deliver(data.value);
    },
  );
}
