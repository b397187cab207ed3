import path from 'node:path';

export const projectFolder = path.resolve(__dirname, '../..');
/** What was fetched for tests; the folder that `@vscode/test-electron` uses too. Not in git. */
export const cacheFolder = path.join(projectFolder, '.vscode-test');
/** Pictures and logs of failed tests. Not in git. */
export const resultsFolder = path.join(projectFolder, 'test/results');
