import type { FileCall } from '../../core/callFiles/callFile';
import type { CallRequest } from '../../host/calls/call';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import type { FilledArguments } from './callFileValues';

/** The wish that a call of a file is, with its values; absent stays absent. */
export function fileRequest(
  { server, tool, timeoutMs }: FileCall,
  origin: CallOrigin,
  { value, hasEnvironmentValues, secrets }: Extract<FilledArguments, { kind: 'filled' }>,
): CallRequest {
  return {
    server,
    tool,
    origin,
    hasEnvironmentValues,
    secrets,
    ...(value === undefined ? {} : { arguments: value }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
