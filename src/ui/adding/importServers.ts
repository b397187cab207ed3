import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import {
  type ClientFile,
  clientFiles,
  draftsFromClientFile,
  type Machine,
} from '../../host/adding/clientFiles';
import type { ServerDraft } from '../../host/adding/draft';
import { isToolgateBridge } from '../../host/configuration/configuration';
import { readConfiguration } from '../../host/configuration/readConfiguration';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { shortPath } from '../format/windowFacts';
import { localFolderPaths } from '../editor/localFolders';
import { askItems } from '../editor/stepInputs';
import { addDrafts, type AddFlowOptions } from './addFlow';
import { draftNoteSentence, transportLine } from './formatDraft';

export interface ImportServersOptions extends AddFlowOptions {
  readonly machine: Omit<Machine, 'folders'>;
}

interface ImportItem extends vscode.QuickPickItem {
  /** Absent for a heading. */
  readonly draft?: ServerDraft;
}

interface FoundFile {
  readonly file: ClientFile;
  readonly drafts: readonly ServerDraft[];
}

/** Lists the servers of other clients on this machine and adds the checked ones. */
export async function importServers(options: ImportServersOptions): Promise<void> {
  const found = await findServers(options);
  if (found.length === 0) {
    notify(
      'information',
      l10n.t('No servers of other clients were found. Paste the setup text of a server instead.'),
      { title: l10n.t('Add Server…'), command: commands.addServer },
    );
    return;
  }
  const known = new Set(options.registry.servers.map(({ config }) => config.id));
  let items = found.flatMap((each) => toItems(each, known, options.machine.userHome));
  for (;;) {
    const { end, value: picked = [] } = await askItems(items, {
      title: l10n.t('Import Servers'),
      placeholder: l10n.t('Choose servers to add; their original files stay unchanged'),
      hasBack: false,
    });
    const drafts = picked.flatMap(({ draft }) => (draft === undefined ? [] : [draft]));
    if (end !== 'next' || drafts.length === 0) return;
    const how = { areChosen: true, hasBefore: true };
    if ((await addDrafts(drafts, options, how)) !== 'back') return;
    items = items.map((item) => ({ ...item, picked: picked.includes(item) }));
  }
}

async function findServers({ machine }: ImportServersOptions): Promise<readonly FoundFile[]> {
  const folders = localFolderPaths();
  const found = await Promise.all(
    clientFiles({ ...machine, folders }).map(async (file): Promise<FoundFile> => {
      const read = await readConfiguration(file.path);
      // A file that cannot be read is not reported; it concerns the other client.
      const drafts = read.kind === 'text' ? draftsFromClientFile(read.text, folders) : [];
      return { file, drafts: drafts.filter(({ entry }) => !isToolgateBridge(entry)) };
    }),
  );
  return found.filter(({ drafts }) => drafts.length > 0);
}

function toItems(
  { file, drafts }: FoundFile,
  known: ReadonlySet<string>,
  userHome: string,
): ImportItem[] {
  const heading = { label: file.client, kind: vscode.QuickPickItemKind.Separator };
  const where = quoted(shortPath(file.path, userHome));
  return [
    heading,
    ...drafts.map((draft): ImportItem => {
      const isKnown = draft.name !== undefined && known.has(draft.name);
      const notes = draft.notes.map(draftNoteSentence);
      const parts = isKnown ? [l10n.t('already configured'), where] : [where];
      return {
        label: escapeIcons(quoted(draft.name ?? l10n.t('without a name'))),
        description: escapeIcons(parts.join(' · ')),
        detail: escapeIcons([transportLine(draft), ...notes].join(' · ')),
        picked: !isKnown && !draft.notes.some(({ kind }) => kind === 'disabled'),
        draft,
      };
    }),
  ];
}
