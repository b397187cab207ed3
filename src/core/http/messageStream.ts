import { jsonOrAbsent } from '../json/parseJson';
import type { MessageLimits } from '../rpc/messageLimits';
import { SseStream } from './sseStream';

/** Where the events of a stream go. */
export interface MessageSink {
  /** A parsed value from an event of type `message`. */
  deliver(value: unknown): void;
  /** What is no JSON of such an event; of a very large one the beginning. Untrusted. */
  garbage(text: string): void;
  /** An event of another type; absent: nobody wants those. */
  other?(type: string, data: string): void;
}

/** A stream whose events are messages, the very large ones read while they come. */
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
