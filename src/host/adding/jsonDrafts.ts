import * as jsonc from 'jsonc-parser';
import { hasTooManyTokens } from '../../core/arguments/argumentsJson';
import { jsoncValue } from '../../core/json/parseJson';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import { draftFromEntry } from './clientEntry';
import type { DraftInput, ServerDraft } from './draft';
import { draftsFromRegistry } from './registryDraft';

/** Configuration files are far smaller. */
const maxChars = 4 * 1024 * 1024;
/** Some clients store their history in the same file. */
const maxTokens = 400_000;
const maxDrafts = 500;

/**
 * Finds the servers in a JSON text of any client: Claude, Cursor, Windsurf, Cline and Gemini
 * (`mcpServers`), VS Code (`servers` with `inputs`), Zed (`context_servers`), Continue, OpenCode
 * (`mcp`), the registry (`server.json`), a single entry, or a part of such a file without the
 * braces around it. Comments and trailing commas are allowed. Returns an empty list if there are
 * none.
 */
export function draftsFromJson(text: string): readonly ServerDraft[] {
  if (isTooLargeForDrafts(text)) return [];
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  // Matches members that were copied without the braces around them.
  const isPiece = /^"(?:[^"\\]|\\.)*"\s*:/.test(trimmed);
  try {
    return draftsOf(parse(isPiece ? `{${trimmed.replace(/,$/, '')}}` : trimmed)).slice(
      0,
      maxDrafts,
    );
  } catch (error) {
    // The text is nested so deeply that walking it overflows the stack.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/**
 * Returns true if a text is too large to be searched for servers. It is counted before it is
 * parsed.
 */
export function isTooLargeForDrafts(text: string): boolean {
  return text.length > maxChars || hasTooManyTokens(text, maxTokens);
}

/** Keeps numbers as they are written, because ids in variables may have many digits. */
function parse(text: string): unknown {
  const errors: jsonc.ParseError[] = [];
  const root = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  return root === undefined || errors.length > 0 ? undefined : jsoncValue(root, text);
}

/** Paths of keys under which clients store servers. */
const places: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp', 'servers'],
  ['mcp'],
  ['amp.mcpServers'],
  ['experimental', 'modelContextProtocolServers'],
];

function draftsOf(value: unknown): readonly ServerDraft[] {
  if (Array.isArray(value)) return value.flatMap((each) => [...draftsOf(each)]);
  if (!isObject(value)) return [];
  const registered = draftsFromRegistry(value);
  if (registered.length > 0) return registered;
  for (const place of places) {
    const found = place.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
    const holder = place.length > 1 ? value[place[0] ?? ''] : value;
    const drafts = serversOf(found, inputsOf(isObject(holder) ? holder : value));
    if (drafts.length > 0) return drafts;
  }
  const single = draftFromEntry(textAt(value, 'name'), value);
  if (single !== undefined) return [withInputsOf(single, inputsOf(value))];
  return serversOf(value, []);
}

/** Reads servers by name, or a list of entries that contain their names. */
function serversOf(value: unknown, inputs: readonly DraftInput[]): readonly ServerDraft[] {
  const drafts = Array.isArray(value)
    ? value.flatMap((each: unknown) =>
        isObject(each)
          ? (draftFromEntry(textAt(each, 'name'), each) ?? draftsFromRegistry(each))
          : [],
      )
    : isObject(value)
      ? Object.entries(value).flatMap(([name, entry]) => draftFromEntry(name, entry) ?? [])
      : [];
  return drafts.map((draft) => withInputsOf(draft, inputs));
}

/** Adds the inputs of the file that the entry refers to. */
function withInputsOf(draft: ServerDraft, inputs: readonly DraftInput[]): ServerDraft {
  const text = JSON.stringify(draft.entry);
  const used = inputs.filter(({ id }) => text.includes(`\${input:${id}}`));
  return used.length === 0 ? draft : { ...draft, inputs: [...draft.inputs, ...used] };
}

function inputsOf(holder: UnknownObject): readonly DraftInput[] {
  const { inputs } = holder;
  if (!Array.isArray(inputs)) return [];
  return inputs.flatMap((each: unknown): DraftInput[] => {
    if (!isObject(each)) return [];
    const id = textAt(each, 'id');
    // An input that runs an editor command is not imported.
    if (id === undefined || /[{}]/.test(id) || each['type'] === 'command') return [];
    const description = textAt(each, 'description');
    const fallback = textAt(each, 'default');
    const options = Array.isArray(each['options'])
      ? each['options'].filter((option): option is string => typeof option === 'string')
      : [];
    const isPick = each['type'] === 'pickString' && options.length > 0;
    return [
      {
        id,
        type: isPick ? 'pickString' : 'promptString',
        ...(description === undefined ? {} : { description }),
        ...(fallback === undefined ? {} : { default: fallback }),
        ...(isPick ? { options } : {}),
        ...(each['password'] === true && !isPick ? { password: true } : {}),
      },
    ];
  });
}

function textAt(value: UnknownObject, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
