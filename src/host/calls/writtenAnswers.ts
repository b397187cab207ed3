import type { InputHandler } from '../../core/input/inputHandler';
import type { SchemaValidator } from '../../core/schema/schema';
import type { RunningCall } from './runningCall';

export interface WrittenAnswersOptions {
  readonly calls: { readonly running: readonly RunningCall[] };
  readonly validator: Pick<SchemaValidator, 'validate'>;
}

/**
 * The handler with the answers that a call brings along for questions of its server. A server does
 * not say in every revision which call a question is about, so they count only while the call is the
 * only one that the server has.
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
