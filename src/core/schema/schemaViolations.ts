import type { ErrorObject } from 'ajv';
import { toStep } from '../json/jsonPointer';
import type { SchemaViolation } from '../types';

/** Longer lists are not useful, and each violation quotes the schema. */
const maxViolations = 50;
const maxQuoteChars = 80;
const maxListedValues = 12;

/**
 * Converts Ajv's errors into at most 50 violations, each with its place and a sentence that names
 * what is missing, unexpected or allowed. The sentences quote schema and value, so they are
 * untrusted.
 */
export function toViolations(errors: readonly ErrorObject[]): readonly SchemaViolation[] {
  const violations = new Map<string, SchemaViolation>();
  for (const error of errors) {
    if (violations.size >= maxViolations) break;
    const violation = toViolation(error);
    violations.set(`${violation.pointer}\n${violation.message}`, violation);
  }
  return [...violations.values()];
}

function toViolation(error: ErrorObject): SchemaViolation {
  const { keyword, instancePath } = error;
  const params: Record<string, unknown> = error.params;
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof extra === 'string') {
    const message = `the property ${quote(extra)} is not allowed here`;
    return { pointer: instancePath + toStep(extra), message, keyword };
  }
  return { pointer: instancePath, message: sentence(error, params), keyword };
}

function sentence({ keyword, message }: ErrorObject, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'required':
      return `must have the property ${quote(params['missingProperty'])}`;
    case 'dependentRequired':
    case 'dependencies':
      if (typeof params['missingProperty'] !== 'string') break;
      return `must have the property ${quote(params['missingProperty'])} because ${quote(params['property'])} is there`;
    case 'enum':
      return `must be one of ${listed(params['allowedValues'])}`;
    case 'const':
      return `must be ${quote(params['allowedValue'])}`;
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`;
    case 'propertyNames':
      return `the property name ${quote(params['propertyName'])} is not allowed`;
    case 'minLength':
      return `must have at least ${counted(params['limit'], 'character')}`;
    case 'maxLength':
      return `must have at most ${counted(params['limit'], 'character')}`;
    case 'minItems':
      return `must have at least ${counted(params['limit'], 'item')}`;
    case 'maxItems':
    case 'items':
    case 'additionalItems':
      if (typeof params['limit'] !== 'number') break;
      return `must have at most ${counted(params['limit'], 'item')}`;
    case 'minProperties':
      return `must have at least ${counted(params['limit'], 'property', 'properties')}`;
    case 'maxProperties':
      return `must have at most ${counted(params['limit'], 'property', 'properties')}`;
    case 'pattern':
      return `must match the pattern ${quote(params['pattern'])}`;
    case 'anyOf':
      return 'must match at least one of the alternatives (anyOf)';
    case 'oneOf':
      return 'must match exactly one of the alternatives (oneOf)';
    case 'not':
      return 'must not match what the schema excludes (not)';
    case 'false schema':
      return 'the schema allows no value here';
  }
  return message ?? `does not fit ${quote(keyword)}`;
}

/** Formats a value as shortened JSON, without formatting more of a large value than is shown. */
function quote(value: unknown): string {
  let left = maxQuoteChars;
  const json =
    JSON.stringify(value, (key, item: unknown) => {
      left -= 1 + key.length;
      // Members left out here are behind the cut.
      if (left < 0) return undefined;
      if (Array.isArray(item)) return item.slice(0, maxQuoteChars);
      return typeof item === 'string' ? item.slice(0, maxQuoteChars + 1) : item;
    }) ?? String(value);
  return json.length <= maxQuoteChars + 2 ? json : `${json.slice(0, maxQuoteChars)}…`;
}

function counted(count: unknown, one: string, several = `${one}s`): string {
  return `${quote(count)} ${count === 1 ? one : several}`;
}

function listed(values: unknown): string {
  if (!Array.isArray(values)) return quote(values);
  const shown = values.slice(0, maxListedValues).map(quote);
  const rest = values.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` or ${rest} more` : '');
}
