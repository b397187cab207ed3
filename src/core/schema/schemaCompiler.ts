import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019';
import { Ajv2020 } from 'ajv/dist/2020';
import {
  findMisplacedValue,
  inspectSchema,
  withoutForeignKeywords,
  type SchemaProblem,
} from './schemaCheck';
import { runWithin } from './schemaTimeLimit';
import type { JsonObject } from '../types';

export interface CompiledSchema {
  /** Collects every violation. */
  readonly all: ValidateFunction;
  /**
   * Stops at the first violation, for values so large that every violation would be too much.
   * Compiled when it is first asked for: it costs more, the more properties a schema has.
   */
  readonly first: () => ValidateFunction;
  /** Whether it needs no time limit. */
  readonly isLinear: boolean;
}

type Dialect = keyof typeof classes;

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  // What draft-07 added to draft-06 are keywords, so it reads draft-06 as it was meant.
  ['json-schema.org/draft-06/schema', 'draft-07'],
]);

const classes = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv } as const;

/**
 * Compiles `schema` by its dialect, in bounded time. Each gets an Ajv of its own: Ajv never
 * forgets a schema, and two tools may use the same `$id` for different ones.
 */
export function compileSchema(schema: JsonObject, limitMs: number): CompiledSchema | SchemaProblem {
  const dialect = dialectOf(schema);
  if (typeof dialect !== 'string') return dialect;
  const traits = inspectSchema(schema);
  if ('code' in traits) return traits;
  const misplaced = findMisplacedValue(schema);
  if (misplaced !== undefined) {
    return { code: 'doesNotCompile', detail: `${misplaced} is neither an object nor a boolean` };
  }

  const plain = traits.hasForeignKeywords ? withoutForeignKeywords(schema) : schema;
  const compile = (allErrors: boolean) => newAjv(dialect, plain, allErrors).compile(plain);
  try {
    const all = runWithin(limitMs, () => compile(true));
    if (all === undefined) return { code: 'tooSlow', detail: `${limitMs} ms` };
    let first: ValidateFunction | undefined;
    return { all: all.value, first: () => (first ??= compile(false)), isLinear: traits.isLinear };
  } catch (error) {
    return problemOf(error, schema);
  }
}

/** Written with `#` at the end or without, by http or https. */
function dialectOf(schema: JsonObject): Dialect | SchemaProblem {
  const declared = schema['$schema'];
  if (declared === undefined) return '2020-12';
  const name = typeof declared === 'string' ? declared : JSON.stringify(declared);
  const known = dialects.get(name.replace(/^https?:\/\//, '').replace(/#$/, ''));
  return known ?? { code: 'dialect', detail: name.slice(0, 200) };
}

function newAjv(dialect: Dialect, schema: object, allErrors: boolean): Ajv {
  const options: Options = {
    allErrors,
    strict: false,
    validateFormats: false,
    // Half of the cost of an Ajv, and only data for the few schemas that refer to them.
    meta: refersToMetaschema(schema),
    validateSchema: false,
    logger: false,
    // `constructor` and the like are names as any other.
    ownProperties: true,
    // A reference is a call, not a copy: copies of copies grow without bound.
    inlineRefs: false,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 9,
    code: { regExp: lenientRegExp },
  };
  const ajv = new classes[dialect](options);
  // Ajv refuses schemas with the `id` of draft-04; since then it is an unknown keyword.
  ajv.removeKeyword('id');
  return ajv;
}

function refersToMetaschema(schema: object): boolean {
  return /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema));
}

/** Patterns are Unicode ones by the specification, but many are written for plain JavaScript. */
const lenientRegExp = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'new RegExp' },
);

function problemOf(error: unknown, schema: JsonObject): SchemaProblem {
  if (error instanceof RangeError) return { code: 'tooDeep', detail: error.message };
  const detail = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Ajv.MissingRefError)) return { code: 'doesNotCompile', detail };
  const id = schema['$id'];
  const ownUri = typeof id === 'string' ? id.replace(/#.*$/, '') : '';
  const isOwn = error.missingSchema === '' || error.missingSchema === ownUri;
  return { code: isOwn ? 'doesNotCompile' : 'externalRef', detail: error.missingRef };
}
