import type { settings } from '../../ids';

/**
 * Declares every setting once: its type, default and scope. `src/manifest/settingTexts.ts` adds the texts
 * and generates the manifest from both.
 */

/** Scopes in which VS Code allows a setting. `machine` excludes workspaces and Settings Sync. */
type Scope = 'application' | 'machine' | 'window' | 'resource';

/** The effect of a setting decides which scopes it may have. */
export const scopesByEffect = {
  // The same on every machine of a user. A workspace may set it only if that cannot hide anything.
  shows: ['application', 'window'],
  // Settings about the programs that run here, and about the data that they and remote servers get
  // about this machine.
  connects: ['machine'],
  // Time and memory that a server may use, which depend on the machine.
  limits: ['machine'],
  // Data that is sent to servers.
  sends: ['machine'],
  // Actions without a question, and what is recorded about them.
  consents: ['machine'],
  // Settings about access. Machine settings are excluded, because a repository can set those of its
  // container.
  admits: ['application'],
  // `ruleSettings.ts` reads each scope separately, because a workspace can only make the rules
  // stricter.
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
/** The members that describe the value have the names of JSON Schema, as in the manifest. */
export type SettingDeclaration = Shared &
  (
    | { readonly type: 'boolean'; readonly default: boolean }
    | ({ readonly type: 'integer'; readonly default: number } & Bounds)
    | { readonly type: 'string'; readonly default: string; readonly enum: readonly string[] }
    | { readonly type: 'string'; readonly default: string; readonly pattern: string }
    | { readonly type: 'array'; readonly default: readonly string[] }
    // Limits of each of its values if these are numbers.
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
  // A click is a personal habit, so a workspace cannot change it.
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
  // Icons come from servers, so a workspace cannot turn them on again.
  showIcons: { effect: 'shows', scope: 'application', type: 'boolean', default: true },
  // Authorization servers fetch this URL. It must have a path and contain nothing about the user.
  clientDocument: {
    ...connects,
    type: 'string',
    default: '',
    pattern: String.raw`^(?:https://[^/?#\s@]{1,255}/[^#\s]{1,2000})?$`,
  },
  // A string in V8 cannot be longer than 512 MiB, so a larger message could not be read.
  maxMessageBytes: {
    ...limits,
    type: 'integer',
    default: 256 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 512 * bytesPerMiB,
  },
  // Messages below 256 KiB are not counted; they always have fewer values than the minimum.
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
  // A workspace that could set it could hide changes of its server from comparisons.
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
  // A workspace that could set it could add tools to the selected set.
  toolSets: { ...admits, type: 'object', default: {} },
  // Several agents give up a call after a minute and would never learn that it was not answered.
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

/** Groups of the Settings editor with their settings in order, the most used first. */
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

/** Names of the settings whose values have this type. */
export type SettingOfType<T extends SettingDeclaration['type']> = {
  [Name in SettingName]: (typeof settingDeclarations)[Name]['type'] extends T ? Name : never;
}[SettingName];
