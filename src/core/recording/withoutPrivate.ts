import { isObject, type UnknownObject } from '../json/shapes';

/** What stands in a recording for what was left out of it. */
export const leftOut = '(left out)';

/**
 * The message without what is between the server and the person, or nobody's business at all: the
 * state of a call in rounds, and what a person answered to a question. A replay does without
 * both. Shares everything else.
 */
export function withoutPrivate(message: object, to: 'server' | 'client'): object {
  if (!isObject(message)) return message;
  const { params, result } = message;
  return {
    ...message,
    ...(isObject(params) ? { params: withoutRounds(params) } : {}),
    ...(isObject(result)
      ? { result: to === 'server' ? withoutContent(result) : withoutState(result) }
      : {}),
  };
}

function withoutRounds(params: UnknownObject): UnknownObject {
  const { inputResponses } = params;
  if (!isObject(inputResponses)) return withoutState(params);
  const answers = Object.entries(inputResponses).map(([key, answer]: [string, unknown]) => [
    key,
    isObject(answer) ? withoutContent(answer) : answer,
  ]);
  return { ...withoutState(params), inputResponses: Object.fromEntries(answers) };
}

function withoutState(holder: UnknownObject): UnknownObject {
  return 'requestState' in holder ? { ...holder, requestState: leftOut } : holder;
}

/** Of the answer to a question for the person. */
function withoutContent(answer: UnknownObject): UnknownObject {
  return answer['action'] === 'accept' && 'content' in answer
    ? { ...answer, content: leftOut }
    : answer;
}
