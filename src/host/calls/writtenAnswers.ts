import type { InputHandler } from '../../core/input/inputHandler';
import type { SchemaValidator } from '../../core/schema/schema';
import type { RunningCall } from './runningCall';

export interface WrittenAnswersOptions {
  readonly calls: { readonly running: readonly RunningCall[] };
  readonly validator: Pick<SchemaValidator, 'validate'>;
}

/**
 * Returns a handler that answers questions of the server with the answers of a call. Some revisions
 * do not say which call a question belongs to, so the answers apply only while the call is the
 * server's only one.
 */
export function withWrittenAnswers(
  handler: InputHandler,
  serverId: string,
  { calls, validator }: WrittenAnswersOptions,
): InputHandler {
  return {
    ...handler,
    writtenAnswer: (request) => {
      const { tool } = request;
      const [call, ...others] = calls.running.filter(
        (each) =>
          each.server === serverId &&
          each.sentAt !== undefined &&
          (tool === undefined || each.tool === tool),
      );
      if (others.length === 0) return call?.answers?.answer(request, validator);
      for (const each of [call, ...others]) each?.answers?.cross(request);
      return undefined;
    },
  };
}
