import path from 'node:path';
import * as vscode from 'vscode';
import { extensionId } from '../../src/ids';
import { Results, type ResultsOptions } from '../../src/ui/results/results';

/** Filters with a memory of their own, and nothing that is secret. */
function testFilters() {
  const memory = new Map<string, unknown>();
  const { extensionPath = '' } = vscode.extensions.getExtension(extensionId) ?? {};
  return {
    program: path.join(extensionPath, 'dist', 'filterJson.js'),
    memory: {
      get: (key: string) => memory.get(key),
      update: async (key: string, value: unknown) => void memory.set(key, value),
    },
    redact: (text: string) => text,
  };
}

/** Names for the commands of result documents beside those of the real extension. */
function resultCommands(scheme: string) {
  const id = (name: string) => `${scheme}.${name}`;
  return {
    commands: {
      openPart: id('openPart'),
      openPartBeside: id('openPartBeside'),
      showOverview: id('showOverview'),
      readLink: id('readLink'),
      openLinkOutside: id('openLinkOutside'),
      openTextLink: id('openTextLink'),
      showPreview: id('showPreview'),
      showJson: id('showJson'),
      showTable: id('showTable'),
    },
    fileCommands: {
      openFull: id('openFull'),
      saveAs: id('saveAs'),
      saveAll: id('saveAll'),
      compare: id('compare'),
      copy: id('copy'),
      filter: id('filter'),
    },
  };
}

/** Results in memory, of servers that do not run and have no resources, with commands of their own. */
export function resultsOf(scheme: string, more: Partial<ResultsOptions> = {}) {
  const { commands, fileCommands } = resultCommands(scheme);
  const results = new Results({
    filters: testFilters(),
    scheme,
    commands,
    fileCommands,
    budgetBytes: 64 * 1024 * 1024,
    registry: {
      find: () => undefined,
      client: () => ({ readResource: async () => ({ contents: [] }) }),
    },
    startServer: async () => false,
    ...more,
  });
  return { results, commands, fileCommands };
}

/** The same, with their commands registered during the suite, and without editors after each test. */
export function useResults(scheme: string, more: Partial<ResultsOptions> = {}) {
  const own = resultsOf(scheme, more);
  let registered: vscode.Disposable;
  before(() => (registered = own.results.register()));
  after(() => {
    registered.dispose();
    own.results.dispose();
  });
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  return own;
}
