import * as jsonc from 'jsonc-parser';

/** A piece of a file, in UTF-16 units. */
export interface TextRange {
  readonly offset: number;
  readonly length: number;
}

/** `text` instead of what the range holds. */
export interface TextEdit extends TextRange {
  readonly text: string;
}

const lenient: jsonc.ParseOptions = { allowTrailingComma: true, allowEmptyContent: true };

/** Where `path` stands in a JSON text, its key included; `undefined` if it does not. */
export function findEntry(text: string, path: readonly (string | number)[]): TextRange | undefined {
  const root = jsonc.parseTree(text, [], lenient);
  const node = root && jsonc.findNodeAtLocation(root, [...path]);
  if (node === undefined) return undefined;
  const { offset, length } = node.parent?.type === 'property' ? node.parent : node;
  return { offset, length };
}

/** The first place where a text is no JSON; comments, trailing commas and an empty file are fine. */
export function firstSyntaxError(text: string): TextRange | undefined {
  const errors: jsonc.ParseError[] = [];
  jsonc.parse(text, errors, lenient);
  return errors[0];
}

/**
 * Edits that add a server, in order of their places and not overlapping. Nothing that is there is
 * touched, which `modify` of jsonc-parser does not promise: it formats the neighbours anew.
 * `undefined` where there is no place for one: no JSON, no object, or the name is taken.
 */
export function addServerEdits(
  text: string,
  name: string,
  entry: object,
): readonly TextEdit[] | undefined {
  if (firstSyntaxError(text) || findEntry(text, ['servers', name])) return undefined;
  const root = jsonc.parseTree(text, [], lenient);
  if (root === undefined) {
    const begun = text === '' || text.endsWith('\n') ? text : `${text}${lineBreak(text)}`;
    const file = JSON.stringify({ servers: { [name]: entry } }, undefined, indentUnit(text));
    const added = file.replaceAll('\n', lineBreak(text)) + lineBreak(text);
    return [{ offset: text.length, length: 0, text: begun.slice(text.length) + added }];
  }
  const servers = jsonc.findNodeAtLocation(root, ['servers']);
  if (servers?.type === 'object') return propertyEdits(text, servers, name, entry);
  if (servers !== undefined || root.type !== 'object') return undefined;
  return propertyEdits(text, root, 'servers', { [name]: entry });
}

/** Adds a last property to an object, on lines of its own. */
function propertyEdits(text: string, object: jsonc.Node, key: string, value: object): TextEdit[] {
  const eol = lineBreak(text);
  const unit = indentUnit(text);
  const outer = lineIndent(text, object.offset);
  const inner = outer + unit;
  const json = JSON.stringify(value, undefined, unit).replaceAll('\n', eol + inner);

  const brace = object.offset + object.length - 1;
  const end = text.slice(0, brace).trimEnd().length;
  const closing = text.slice(end, brace).includes('\n') ? '' : eol + outer;
  const last = object.children?.at(-1);
  const lastEnd = last && last.offset + last.length;
  const hasTrailingComma = lastEnd !== undefined && nextToken(text, lastEnd) === ',';
  const comma = hasTrailingComma ? ',' : '';
  return [
    ...(lastEnd === undefined || hasTrailingComma
      ? []
      : [{ offset: lastEnd, length: 0, text: ',' }]),
    {
      offset: end,
      length: closing === '' ? 0 : brace - end,
      text: `${eol}${inner}${JSON.stringify(key)}: ${json}${comma}${closing}`,
    },
  ];
}

/** The first sign from `offset` on that is no blank and no comment. */
function nextToken(text: string, offset: number): string {
  const scanner = jsonc.createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset());
}

function lineIndent(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** One level, as the file does it; its first indented line tells. */
function indentUnit(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

function lineBreak(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
