import type { FileCall } from '../../core/callFiles/callFile';
import type { FilledArguments } from '../../core/callFiles/fillCall';
import type { CallRequest } from '../calls/call';
import type { CallOrigin } from '../consent/facts/callOrigin';

/** The wish that a call of a file is, with its values; absent stays absent. */
export function fileRequest(
  { server, tool, timeoutMs, isSentAsIs }: FileCall,
  origin: CallOrigin,
  { value, fileValues, secrets }: Extract<FilledArguments, { kind: 'filled' }>,
): CallRequest {
  return {
    server,
    tool,
    origin,
    fileValues,
    secrets,
    ...(isSentAsIs === undefined ? {} : { isSentAsIs }),
    ...(value === undefined ? {} : { arguments: value }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
