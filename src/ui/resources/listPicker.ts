import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { nearWordMatcher } from '../../core/nearestName';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { ServerLists } from '../../host/resources/serverLists';
import { chosenItem, createPicker, noMatchItem, type ChoiceItem } from '../editor/picker';
import { withDelayedProgress } from '../editor/delayedProgress';
import { startServerAction, notify, notifyServerError } from '../editor/messages';
import { quoted } from '../format/sentences';
import { labelText } from '../format/labelText';

type ListsOf<Entry> = Pick<ServerLists<Entry, never>, 'has' | 'of' | 'ensure'>;

/** A picker for entries that running servers list. Texts of rows are escaped here. */
export interface ListPicker<Entry, Choice> {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly lists: ListsOf<Entry>;
  readonly title: string;
  readonly placeholder: string;
  /** Title of the progress while the lists are read. */
  readonly listing: string;
  /** Message if no server lists such entries. */
  readonly noServer: string;
  /** Message if there are no rows. Absent: the picker opens anyway. */
  readonly noEntry?: string;
  readonly toItem: (serverId: string, entry: Entry) => ChoiceItem<Choice> | undefined;
  /** Returns rows for what the user typed. */
  readonly typedItems?: (servers: readonly Server[], typed: string) => ChoiceItem<Choice>[];
}

/** Maximum number of rows; further ones are found by typing. */
const maxRows = 1_000;
const maxChars = 300;

/**
 * Lets the user choose an entry of a running server. Resolves with `undefined` after a message if
 * there is nothing to choose, and if the picker is closed.
 */
export async function pickListed<Entry, Choice>(
  options: ListPicker<Entry, Choice>,
): Promise<Choice | undefined> {
  const { registry, lists, noServer, noEntry, typedItems } = options;
  const servers = registry.servers.filter(({ config }) => lists.has(config.id));
  if (servers.length === 0) {
    notify('information', noServer, startServerAction());
    return undefined;
  }
  await withDelayedProgress(
    options.listing,
    () => Promise.all(servers.map(({ config }) => lists.ensure(config.id))),
    false,
  );
  const failed = servers.filter((server) => notifyFailedListing(server, lists));
  const all = servers.flatMap((server) => itemsOf(server, options));
  if (noEntry !== undefined && all.length === 0) {
    if (failed.length === 0) notify('information', noEntry);
    return undefined;
  }
  const find = (typed: string) => {
    const items = [...found(all, typed), ...(typedItems?.(servers, typed) ?? []).map(plainItem)];
    return items.length > 0 || typed.trim() === '' ? items : [noMatchItem(typed)];
  };
  const { title, placeholder } = options;
  const pick = createPicker<ChoiceItem<Choice>>({ title, placeholder, items: find('') });
  pick.onDidChangeValue((typed) => (pick.items = find(typed)));
  return chosenItem(pick);
}

/** Returns true, after a message, if the entries of the server could not be listed. */
function notifyFailedListing({ config }: Server, lists: Pick<ListsOf<unknown>, 'of'>): boolean {
  const { error } = lists.of(config.id);
  if (error !== undefined) notifyServerError(config, error);
  return error !== undefined;
}

/** Lists the entries of one server again, or without an id those of every running server. */
export async function refreshLists(
  {
    registry,
    lists,
  }: {
    readonly registry: Pick<ServerRegistry, 'servers'>;
    readonly lists: Pick<ServerLists<unknown, never>, 'has' | 'refresh'>;
  },
  serverId: string | undefined,
  texts: { readonly none: string; readonly title: (server: string) => string },
): Promise<void> {
  const servers = registry.servers.filter(
    ({ config }) => lists.has(config.id) && (serverId === undefined || config.id === serverId),
  );
  if (servers.length === 0) {
    notify('information', texts.none);
    return;
  }
  await Promise.all(
    servers.map(async ({ config }) => {
      try {
        const title = texts.title(quoted(config.label));
        await withDelayedProgress(title, () => lists.refresh(config.id), false);
      } catch (error) {
        notifyServerError(config, toMcpError(error));
      }
    }),
  );
}

function itemsOf<Entry, Choice>(
  { config }: Server,
  { lists, toItem }: ListPicker<Entry, Choice>,
): ChoiceItem<Choice>[] {
  const items = lists.of(config.id).entries.flatMap((entry) => toItem(config.id, entry) ?? []);
  if (items.length === 0) return [];
  const separator = { label: config.label, kind: vscode.QuickPickItemKind.Separator };
  return [separator, ...items].map(plainItem);
}

/**
 * Filters by our own search, which is fast for long lists. If nothing matches, words may differ a
 * little. Separators stay if a row below them matches.
 */
function found<Choice>(items: readonly ChoiceItem<Choice>[], typed: string): ChoiceItem<Choice>[] {
  const words = typed.toLowerCase().split(/\s+/);
  const textOf = ({ label, detail = '', description = '' }: ChoiceItem<Choice>): string =>
    `${label}\n${detail}\n${description}`.toLowerCase();
  const matching = (fits: (text: string) => boolean) =>
    items.filter((item) => item.choice === undefined || fits(textOf(item)));
  let fitting = matching((text) => words.every((word) => text.includes(word)));
  if (!fitting.some(({ choice }) => choice !== undefined)) {
    const near = words.map((word) => nearWordMatcher(word));
    fitting = matching((text) => {
      const parts = text.split(/[^\p{L}\p{N}]+/u);
      return near.every((isNear, index) => text.includes(words[index] ?? '') || parts.some(isNear));
    });
  }
  const shown = fitting.slice(0, maxRows);
  return shown.filter(
    (item, index) => item.choice !== undefined || shown[index + 1]?.choice !== undefined,
  );
}

/** All rows are found by our own search, so VS Code shows all of them. */
function plainItem<Choice>(item: ChoiceItem<Choice>): ChoiceItem<Choice> {
  const { label, description = '', detail } = item;
  return {
    ...item,
    label: labelText(label, maxChars),
    description: labelText(description, maxChars),
    ...(detail === undefined ? {} : { detail: labelText(detail, maxChars) }),
    alwaysShow: true,
  };
}
