import type { settings } from '../../ids';

/**
 * Every setting, once: what it takes, what it is without being set, and who may set it. The manifest
 * shows the same to the person; `test/contributions.test.ts` holds it to this table, exactly.
 */

/** Where VS Code lets a setting be set. `machine`: not by a workspace, and no Settings Sync. */
type Scope = 'application' | 'machine' | 'window' | 'resource';

/** What a setting can do decides which scopes it may have. */
export const scopesByEffect = {
  // The same on every machine of a person; of a workspace only where nothing can be hidden by it.
  shows: ['application', 'window'],
  // Which programs run here, and what they and their addresses learn about this machine.
  connects: ['machine'],
  // Time and room that a server may take; how much there is depends on the machine.
  limits: ['machine'],
  // What is sent to servers.
  sends: ['machine'],
  // What is done without a question, and what of it is written down.
  consents: ['machine'],
  // Who is let in: a file of a repository that sets up its container writes settings of the machine.
  admits: ['application'],
  // `ruleSettings.ts` reads each place by itself: a workspace may ask for more, never for less.
  tightens: ['resource'],
} as const satisfies Record<string, readonly Scope[]>;

interface Shared {
  readonly effect: keyof typeof scopesByEffect;
  readonly scope: Scope;
}
interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}
/** The names of the parts that describe the value are those of JSON Schema, as in the manifest. */
export type SettingDeclaration = Shared &
  (
    | { readonly type: 'boolean'; readonly default: boolean }
    | ({ readonly type: 'integer'; readonly default: number } & Bounds)
    | { readonly type: 'string'; readonly default: string; readonly enum: readonly string[] }
    | { readonly type: 'string'; readonly default: string; readonly pattern: string }
    | { readonly type: 'array'; readonly default: readonly string[] }
    // Bounds: of each of its values, where these are numbers.
    | { readonly type: 'object'; readonly default: object; readonly values?: Bounds }
  );
type SettingName = Exclude<keyof typeof settings, 'section'>;
type Group = Partial<Record<SettingName, SettingDeclaration>>;

const bytesPerMiB = 1024 * 1024;

const connects = { effect: 'connects', scope: 'machine' } as const;
const limits = { effect: 'limits', scope: 'machine' } as const;
const consents = { effect: 'consents', scope: 'machine' } as const;
const admits = { effect: 'admits', scope: 'application' } as const;

const servers = {
  servers: { ...connects, type: 'object', default: {} },
  demoServer: { ...connects, type: 'boolean', default: false },
  startServers: {
    ...connects,
    type: 'string',
    default: 'onFirstUse',
    enum: ['onFirstUse', 'always', 'never'],
  },
  groupByOrigin: { effect: 'shows', scope: 'window', type: 'boolean', default: false },
  // What a click does is a habit of the hand, and no workspace's business.
  callOnClick: { effect: 'shows', scope: 'application', type: 'boolean', default: false },
  shareWorkspaceFolders: { ...connects, type: 'boolean', default: false },
  restartCrashedServers: { ...connects, type: 'boolean', default: true },
  startTimeoutMs: {
    ...limits,
    type: 'integer',
    default: 30_000,
    minimum: 1_000,
    maximum: 600_000,
  },
  // Pictures of strangers are drawn with it: no workspace turns that on again.
  showIcons: { effect: 'shows', scope: 'application', type: 'boolean', default: true },
  // Authorization servers fetch it: an address that each of them can trust, with a path, and nothing
  // of a person in it.
  clientDocument: {
    ...connects,
    type: 'string',
    default: '',
    pattern: String.raw`^(?:https://[^/?#\s@]{1,255}/[^#\s]{1,2000})?$`,
  },
  // One string may not be longer than 512 MiB in V8, so a larger message could not be read at all.
  maxMessageBytes: {
    ...limits,
    type: 'integer',
    default: 256 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 512 * bytesPerMiB,
  },
  // What comes in less than 256 KiB is not counted, and is never more than the minimum.
  maxMessageValues: {
    ...limits,
    type: 'integer',
    default: 500_000,
    minimum: 200_000,
    maximum: 50_000_000,
  },
} as const satisfies Group;

const calls = {
  callTimeoutMs: {
    ...limits,
    type: 'integer',
    default: 60_000,
    minimum: 1_000,
    maximum: 3_600_000,
  },
  callTimeouts: {
    ...limits,
    type: 'object',
    default: {},
    values: { minimum: 1_000, maximum: 86_400_000 },
  },
  callCeilingMs: {
    ...limits,
    type: 'integer',
    default: 3_600_000,
    minimum: 1_000,
    maximum: 86_400_000,
  },
  environments: { effect: 'sends', scope: 'machine', type: 'object', default: {} },
  maxCallsPerServer: { ...limits, type: 'integer', default: 8, minimum: 1, maximum: 1_000 },
} as const satisfies Group;

const results = {
  historyMaxCalls: { ...limits, type: 'integer', default: 200, minimum: 0, maximum: 10_000 },
  historyMaxAgeDays: { ...limits, type: 'integer', default: 30, minimum: 1, maximum: 3_650 },
  historyMaxBytes: {
    ...limits,
    type: 'integer',
    default: 256 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 4096 * bytesPerMiB,
  },
  historyMaxAnswerBytes: {
    ...limits,
    type: 'integer',
    default: 64 * bytesPerMiB,
    minimum: 1_024,
    maximum: 512 * bytesPerMiB,
  },
  // A workspace that could set it could hide from a comparison what its server changed.
  volatileFields: {
    effect: 'shows',
    scope: 'application',
    type: 'array',
    default: [
      'timestamp',
      'time',
      'date',
      'createdAt',
      'created_at',
      'updatedAt',
      'updated_at',
      'lastModified',
      'last_modified',
      'duration',
      'durationMs',
      'duration_ms',
      'elapsed',
      'elapsedMs',
      'elapsed_ms',
      'id',
      'uuid',
      'requestId',
      'request_id',
      'traceId',
      'trace_id',
      'sessionId',
      'session_id',
      'etag',
    ],
  },
  resultBudgetBytes: {
    ...limits,
    type: 'integer',
    default: 256 * bytesPerMiB,
    minimum: 16 * bytesPerMiB,
    maximum: 2048 * bytesPerMiB,
  },
  spoolAboveBytes: {
    ...limits,
    type: 'integer',
    default: 8 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 512 * bytesPerMiB,
  },
  opensPages: { effect: 'shows', scope: 'application', type: 'boolean', default: true },
  opensTables: { effect: 'shows', scope: 'application', type: 'boolean', default: true },
} as const satisfies Group;

const consent = {
  rules: { effect: 'tightens', scope: 'resource', type: 'array', default: [] },
  allowBroadDestructiveGrants: { ...consents, type: 'boolean', default: false },
} as const satisfies Group;

const agents = {
  agentsEnabled: { ...admits, type: 'boolean', default: false },
  agentServers: { ...admits, type: 'array', default: [] },
  // A workspace that could write one could put into the chosen set what its name does not say.
  toolSets: { ...admits, type: 'object', default: {} },
  // Several agents give up a call after a minute, and would never hear that nobody answered.
  agentAnswerWithinMs: {
    ...limits,
    type: 'integer',
    default: 50_000,
    minimum: 1_000,
    maximum: 59_000,
  },
} as const satisfies Group;

const journal = {
  recordArguments: { ...consents, type: 'boolean', default: false },
  journalRetentionDays: { ...limits, type: 'integer', default: 365, minimum: 1, maximum: 3_650 },
  journalMaxBytes: {
    ...limits,
    type: 'integer',
    default: 64 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 1024 * bytesPerMiB,
  },
  requireJournal: { ...consents, type: 'boolean', default: false },
} as const satisfies Group;

const recordings = {
  recordingOmits: { ...consents, type: 'array', default: [] },
  replaySpeed: { ...limits, type: 'integer', default: 10, minimum: 1, maximum: 10_000 },
} as const satisfies Group;

/** The groups of the Settings editor and the settings of each in their order, most used first. */
export const settingGroups = {
  servers,
  calls,
  results,
  consent,
  agents,
  journal,
  recordings,
} as const;

export const settingDeclarations = {
  ...servers,
  ...calls,
  ...results,
  ...consent,
  ...agents,
  ...journal,
  ...recordings,
} as const satisfies Record<SettingName, SettingDeclaration>;

/** The names of those that take values of this type. */
export type SettingOfType<T extends SettingDeclaration['type']> = {
  [Name in SettingName]: (typeof settingDeclarations)[Name]['type'] extends T ? Name : never;
}[SettingName];
