// A window of its own for tests: calls a tool as a task, says how far that is, and is killed. Its
// last argument is where it stops: after the answer, before the handle is kept; when it is kept, before
// the first poll; or not at all, where it says when it is asked a question.
import path from 'node:path';
import { SecretsInFolder, TaskWindow } from './taskWindow';

const [folder = '', url = '', tool = '', stop = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const secrets = new SecretsInFolder(path.join(folder, 'secrets'));
const { store } = secrets;
if (stop === 'before keeping') {
  secrets.store = () => {
    say('answered');
    return new Promise(() => undefined);
  };
} else {
  secrets.store = async (key, value) => {
    await store(key, value);
    say('kept');
    if (stop === 'before polling') await new Promise(() => undefined);
  };
}
const window = new TaskWindow(folder, secrets, url);
window.elicit = () => {
  say('asked');
  return new Promise(() => undefined);
};

void window.registry.start('tasks').then(async () => {
  await window.call(tool, { depth: 3 });
});
