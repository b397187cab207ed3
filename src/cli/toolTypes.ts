import type { JsonObject, JsonValue } from '../core/json/jsonValue';
import { isJsonObject } from '../core/json/shapes';
import { localTarget } from '../core/schema/subschemas';
import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';

type Redact = (text: string) => string;

/** Deeper and further parts of a schema are `unknown`. */
const maxDepth = 30;
const maxParts = 10_000;
/** A short schema can expand to any length, because each reference to a part repeats it. */
const maxModuleChars = 16 * 1024 * 1024;
const maxTextChars = 500;

/**
 * Returns a TypeScript module that declares the arguments and results of tools, with a function that
 * calls them by `toolgate call`.
 * @param launch The paths and options as JSON, which the function starts the command line with
 */
export function typedModule(tools: readonly Tool[], launch: string, redact: Redact): string {
  const room: Room = { chars: maxModuleChars };
  const entries = tools.map(({ name, description = '', inputSchema, outputSchema }) => {
    const types = new SchemaTypes(redact, room);
    const args = types.of(inputSchema, inputSchema);
    const root = isJsonObject(outputSchema) ? outputSchema : {};
    const result = outputSchema === undefined ? 'undefined' : types.of(outputSchema, root);
    const comment = commentOf(description, redact);
    return `${comment}  ${quoted(name)}: {\n    arguments: ${args};\n    structuredContent: ${result};\n  };\n`;
  });
  return `${head}export interface Tools {\n${entries.join('')}}\n\nconst { node, program, folder, server } = ${launch};\n${runtime}`;
}

/** How much may still be written into the module; the parts of schemas after that are `unknown`. */
interface Room {
  chars: number;
}

/** Translates JSON Schema to types of TypeScript, as far as those can say it. */
class SchemaTypes {
  readonly #redact: Redact;
  readonly #room: Room;
  #parts = 0;

  constructor(redact: Redact, room: Room) {
    this.#redact = redact;
    this.#room = room;
  }

  of(schema: JsonValue, root: JsonObject, depth = 0): string {
    this.#parts += 1;
    this.#room.chars -= 'unknown'.length;
    if (schema === false) return 'never';
    const isFull = this.#parts > maxParts || this.#room.chars < 0;
    if (!isJsonObject(schema) || depth > maxDepth || isFull) return 'unknown';
    const inner = (part: JsonValue) => this.of(part, root, depth + 1);
    if (Object.hasOwn(schema, '$ref')) {
      const target = localTarget(schema['$ref'], root);
      return inner(isJsonObject(target) ? target : true);
    }
    const { const: only, enum: listed, anyOf, oneOf, allOf } = schema;
    if (only !== undefined) return this.#literal(only);
    if (Array.isArray(listed)) return this.#literals(listed);
    const unions = [anyOf, oneOf].flatMap((parts) =>
      Array.isArray(parts) ? [union(parts.map(inner))] : [],
    );
    const all = Array.isArray(allOf) ? allOf.map(inner) : [];
    const own = this.#own(schema, inner);
    const parts = [own, ...unions, ...all].filter((each) => each !== 'unknown');
    return parts.length === 0 ? 'unknown' : parts.join(' & ');
  }

  /** Returns the type without combinations of schemas. */
  #own(schema: JsonObject, inner: (part: JsonValue) => string): string {
    const { type, properties } = schema;
    const types = Array.isArray(type) ? type : [type ?? (properties === undefined ? '' : 'object')];
    this.#room.chars -= types.length;
    return union(
      types.map((each) => {
        if (each === 'object') return this.#object(schema, inner);
        if (each === 'array') return `(${inner(schema['items'] ?? true)})[]`;
        if (each === 'integer') return 'number';
        const isSimple = ['string', 'number', 'boolean', 'null'].some((name) => name === each);
        return isSimple ? String(each) : 'unknown';
      }),
    );
  }

  #object(schema: JsonObject, inner: (part: JsonValue) => string): string {
    const { properties, required, additionalProperties } = schema;
    const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
    const members = Object.entries(isJsonObject(properties) ? properties : {}).map(
      ([name, part]) => {
        const text = isJsonObject(part) ? part['description'] : undefined;
        const described = typeof text === 'string' ? text : '';
        this.#room.chars -= name.length + described.length;
        const comment = commentOf(described, this.#redact);
        return `\n${comment}${quoted(name)}${needed.has(name) ? '' : '?'}: ${inner(part)};`;
      },
    );
    if (members.length > 0) return `{${members.join('')}\n}`;
    return `Record<string, ${inner(additionalProperties ?? true)}>`;
  }

  #literals(values: readonly JsonValue[]): string {
    const types: string[] = [];
    for (const value of values) {
      types.push(this.#room.chars < 0 ? 'unknown' : this.#literal(value));
      if (types.at(-1) === 'unknown') break;
    }
    return union(types);
  }

  #literal(value: JsonValue): string {
    const isLiteral = value === null || typeof value === 'boolean' || typeof value === 'string';
    if (isLiteral) {
      const text = quoted(value);
      this.#room.chars -= text.length;
      return this.#redact(text);
    }
    return typeof value === 'number' ? String(value) : 'unknown';
  }
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  if (all.includes('unknown')) return 'unknown';
  return all.length > 1 ? `(${all.join(' | ')})` : (all[0] ?? 'never');
}

function quoted(value: JsonValue): string {
  return JSON.stringify(value);
}

/** Server text cannot end the comment. */
function commentOf(text: string, redact: Redact): string {
  const shown = visibleText(redact(text), maxTextChars).replaceAll('*/', '* /');
  return shown === '' ? '' : `/** ${shown} */\n`;
}

const head = `// Made by "toolgate generate --typescript". Write it again when the tools change.
import { spawn } from "node:child_process";

`;

const runtime = `
export interface Result<Name extends keyof Tools> {
  content: { type: string; text?: string; [member: string]: unknown }[];
  structuredContent: Tools[Name]["structuredContent"];
  isError?: boolean;
}

/**
 * Calls a tool by "toolgate call", so that its rules, lock file and sign-ins apply. Options are those of
 * that command, such as "--max-risk", "readOnly". Rejects if the call was not made or has no result.
 */
export function callTool<Name extends keyof Tools>(
  name: Name,
  args: Tools[Name]["arguments"],
  ...options: string[]
): Promise<Result<Name>> {
  const isNamed = server[0] !== undefined && !server[0].startsWith("--");
  const operands = isNamed ? [server[0], name] : [name];
  const own = isNamed ? server.slice(1) : server;
  const words = [program, "call", ...own, ...options, "--arguments", "-", "--", ...operands];
  const child = spawn(node ?? process.execPath, words as string[], { cwd: folder });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  child.stdin.on("error", () => undefined).end(JSON.stringify(args));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      if (output === "") reject(new Error(errors.trim()));
      else resolve(JSON.parse(output));
    });
  });
}
`;
