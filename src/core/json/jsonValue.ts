import type { WrittenNumber } from './writtenNumber';

export type JsonValue =
  | string
  | number
  | WrittenNumber
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };
