import { _, type Ajv, type Code, type ErrorObject, type KeywordCxt } from 'ajv';
import names from 'ajv/dist/compile/names';

/** Each error takes some hundred bytes, and longer lists are not useful. */
const maxErrors = 10_000;
/** A long instance path counts as one more error per this many characters. */
const charsOfOneError = 256;
/** The keywords whose code calls the function of another schema. */
const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** There are more errors than the limit, so the validation ended without a verdict. */
export class TooManyErrors extends Error {
  constructor() {
    super(`${maxErrors} violations`);
  }
}

type RuleType = Parameters<NonNullable<CodeOf>>[1];
type CodeOf = Extract<Parameters<Ajv['addKeyword']>[0], { code: unknown }>['code'];

/**
 * Limits how many errors one validation holds at a time. Ajv has no such limit: it makes an object
 * for each error, even for errors of alternatives that do not matter in the end. Every keyword of
 * Ajv generates its code by calling methods of a {@link KeywordCxt}; the methods that lead to errors
 * are replaced by ones that also generate a check.
 */
export class ErrorBudget {
  /** The errors of the functions that called the running one. Generated code changes it. */
  held = 0;
  #made = 0;
  readonly #functions = new Set<KeywordCxt['it']['schemaEnv']>();

  /** Adds the checks to everything that `ajv` compiles from now on. */
  limit({ RULES }: Ajv): void {
    for (const rule of Object.values(RULES.all)) {
      if (typeof rule !== 'object') continue;
      const { definition } = rule;
      const code = 'code' in definition ? definition.code : undefined;
      Object.assign(definition, {
        code: (context: KeywordCxt, type?: RuleType) => {
          this.#watch(context);
          code?.(context, type);
        },
      });
    }
  }

  /** Called before every validation, because the previous one may have been interrupted. */
  begin(): void {
    this.held = 0;
    this.#made = 0;
  }

  /**
   * Called after every validation, even one that was interrupted: generated functions keep the
   * errors of their last call, and live as long as the schema.
   */
  forgetErrors(): void {
    for (const { validate } of this.#functions) if (validate !== undefined) validate.errors = null;
  }

  /**
   * Called by generated code when the running function has errors, with all of them.
   * @throws {TooManyErrors}
   */
  check(errors: readonly Partial<ErrorObject>[]): void {
    // Errors that only mark a failure are empty objects.
    const path = errors.at(-1)?.instancePath ?? '';
    const weight = 1 + Math.floor(path.length / charsOfOneError);
    if ((this.held + errors.length) * weight > maxErrors) throw new TooManyErrors();
    this.#made += weight;
    if (this.#made <= maxErrors) return;
    // Functions also keep errors of alternatives that were discarded.
    this.forgetErrors();
    this.#made = 0;
  }

  #watch(context: KeywordCxt): void {
    const { gen, it, keyword } = context;
    if (it.schemaEnv.$async) throw new Error('a promise is no verdict');
    this.#functions.add(it.schemaEnv);
    const budget = gen.scopeValue('obj', { ref: this });
    const check = _`${budget}.check(${names.vErrors});`;
    const error = context.error.bind(context);
    context.error = (...options) => {
      error(...options);
      gen.code(check);
    };
    const subschema = context.subschema.bind(context);
    // Wrong types and `false` are reported without a keyword, so each subschema is checked as well.
    context.subschema = (applied, valid) => {
      const inner = subschema(applied, valid);
      gen.if(_`${names.errors} > 0`, () => gen.code(check));
      return inner;
    };
    if (references.has(keyword)) holdWhileCalling(context, _`${budget}.held`);
  }
}

/** Counts the errors of the calling function in `held` while the called one runs. */
function holdWhileCalling(context: KeywordCxt, held: Code): void {
  const { gen } = context;
  const result = context.result.bind(context);
  context.result = (call, onValid, onInvalid) => {
    const own = gen.const('own', names.errors);
    const change = (operator: Code) =>
      gen.if(_`${own} > 0`, () => gen.code(_`${held} ${operator} ${own}`));
    const returned = (then?: () => void) => () => {
      change(_`-=`);
      then?.();
    };
    change(_`+=`);
    result(call, returned(onValid), returned(onInvalid));
  };
}
