import path from 'node:path';
import * as vscode from 'vscode';
import { extensionId } from '../../src/ids';

/** Filters with a memory of their own, and nothing that is secret. */
export function testFilters() {
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
export function resultCommands(id: (name: string) => string) {
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
