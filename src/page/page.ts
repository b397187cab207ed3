import { AnswerView } from './answerView';
import type { FromPage } from './pageMessages';

/** The API that VS Code gives to a webview. It can be acquired only once. */
declare function acquireVsCodeApi(): {
  readonly postMessage: (message: FromPage) => void;
  getState(): unknown;
  setState(state: unknown): void;
};

const host = acquireVsCodeApi();
const { postMessage: send } = host;
const root = document.querySelector('main');
if (root !== null) {
  const view = new AnswerView(root, send, host.getState(), (state) => host.setState(state));
  window.addEventListener('message', ({ data }) => view.take(data));
  send({ type: 'ready' });
}
