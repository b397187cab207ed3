import type { ToolFileCall } from '../../core/callFiles/callFile';
import type { FilledCall } from '../../core/callFiles/fillCall';
import { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { CallRequest } from '../calls/call';
import type { CallOrigin } from '../consent/facts/callOrigin';

/** The wish that a call of a file is, with its values; absent stays absent. */
export function fileRequest(
  { server, target, timeoutMs, isSentAsIs }: ToolFileCall,
  origin: CallOrigin,
  { value, answers, fileValues, secrets }: Extract<FilledCall, { kind: 'filled' }>,
): CallRequest {
  return {
    server,
    tool: target.name,
    origin,
    fileValues,
    secrets,
    ...(answers === undefined ? {} : { answers: new QuestionAnswers(answers) }),
    ...(isSentAsIs === undefined ? {} : { isSentAsIs }),
    ...(value === undefined ? {} : { arguments: value }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
