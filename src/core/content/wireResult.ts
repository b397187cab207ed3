import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { WorkTurns } from '../bounds/workTurns';
import { assertNever } from '../errors';
import { bufferOf } from '../json/jsonLimits';
import { ownCopy } from '../json/ownCopy';
import { isObject } from '../json/shapes';
import type { BinaryData, ContentBlock, TextData, ToolResult } from '../types';

/** How to represent texts and base64 in the output. */
export interface WireForms {
  readonly text: (text: TextData) => unknown;
  readonly data: (data: BinaryData) => unknown;
}

/**
 * Returns a result as a server would send it, with everything that was received: parsing it gives
 * the same result. Shares its unchanged parts.
 */
export function wireResult(result: ToolResult, forms: WireForms): object {
  const { content, structuredContent, isError, meta, rest } = result;
  const wire = {
    content: content.map((block) => wireBlock(block, forms)),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError,
    ...(meta === undefined ? {} : { _meta: meta }),
    ...rest,
  };
  return result.isOldForm === true ? { toolResult: wire } : wire;
}

function wireBlock(block: ContentBlock, { text, data }: WireForms): unknown {
  const { rest, ...known } = block;
  switch (known.type) {
    case 'unknown':
      return known.raw;
    case 'text':
      return { ...known, text: text(known.text), ...rest };
    case 'image':
    case 'audio':
      return { ...known, data: data(known.data), ...rest };
    case 'resource': {
      const { text: own, blob, ...others } = known.resource;
      const unknown = isObject(rest?.resource) ? rest.resource : {};
      const resource = {
        ...others,
        ...(own === undefined ? {} : { text: text(own) }),
        ...(blob === undefined ? {} : { blob: data(blob) }),
        ...unknown,
      };
      return { ...known, ...rest, resource };
    }
    case 'resource_link':
      return { ...known, ...rest };
    default:
      return assertNever(known);
  }
}

/**
 * In bytes; decoding this much takes less than a millisecond, so the clock is checked only after
 * it.
 */
const sliceBytes = 256 * 1024;

/**
 * Copies content for one caller, which may change it. Texts become strings, as in the
 * specification. Yields to other work while very large ones are copied.
 */
export async function copyContent(content: readonly ContentBlock[]): Promise<ContentBlock[]> {
  const turns = new WorkTurns();
  const copies: ContentBlock[] = [];
  for (const block of content)
    copies.push(isFlat(block) ? { ...block } : await copyOf(block, turns));
  return copies;
}

/** True for most texts, which can be copied in a fourth of the time. */
function isFlat(block: ContentBlock): boolean {
  return Object.values(block).every((value) => typeof value !== 'object');
}

async function copyOf(block: ContentBlock, turns: WorkTurns): Promise<ContentBlock> {
  switch (block.type) {
    case 'text': {
      const { text, ...others } = block;
      return { ...ownCopy(others), text: await textInTurns(text, turns) };
    }
    case 'image':
    case 'audio': {
      const { data, ...others } = block;
      return { ...ownCopy(others), data: await dataInTurns(data, turns) };
    }
    case 'resource': {
      const { resource, ...others } = block;
      const { text, blob, ...facts } = resource;
      const own = {
        ...facts,
        ...(text === undefined ? {} : { text: await textInTurns(text, turns) }),
        ...(blob === undefined ? {} : { blob: await dataInTurns(blob, turns) }),
      };
      return { ...ownCopy(others), resource: own };
    }
    case 'resource_link':
    case 'unknown':
      return ownCopy(block);
    default:
      return assertNever(block);
  }
}

async function textInTurns(text: TextData, turns: WorkTurns): Promise<string> {
  if (typeof text === 'string') return text;
  const bytes = bufferOf(text);
  // Decoded in one piece, which takes 40 ms for 64 MiB: a string of pieces would take its size
  // again when it is read.
  if (isAscii(bytes)) return bytes.toString('latin1');
  const decoder = new StringDecoder('utf8');
  let decoded = '';
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    decoded += decoder.write(bytes.subarray(at, at + sliceBytes));
    await turns.giveWay();
  }
  return decoded + decoder.end();
}

async function dataInTurns(data: BinaryData, turns: WorkTurns): Promise<BinaryData> {
  if (typeof data === 'string') return data;
  const copy = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += sliceBytes) {
    copy.set(data.subarray(at, at + sliceBytes), at);
    await turns.giveWay();
  }
  return copy;
}
