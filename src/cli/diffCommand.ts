import {
  type DefinitionChange,
  definitionChanges,
  type SchemaChange,
  type SchemaWriter,
} from '../core/schema/schemaChanges';
import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';
import { toolFingerprint } from '../host/consent/facts/fingerprints';
import type { LockedTool } from '../host/consent/pins/lockFile';
import { lockFileName } from '../ids';
import type { CommandTools } from './commandTools';
import { type ExitCode, UsageError, exitCodes } from './exitCodes';
import { notifyListProblems } from './listProblems';
import { readLockFile } from './lockCommand';
import { assertNever } from '../core/errors';

/** Further changes of one server are only counted. */
const maxTold = 2_000;
const maxNameChars = 200;

/** One comparison and its differences. */
interface Difference {
  readonly server: string;
  /** The lock file, or the server with the earlier definitions. */
  readonly against: string;
  readonly changes: readonly (DefinitionChange & { readonly tool: string })[];
}

/**
 * Reports differences between the lock file and servers as they are now, or between two servers, of
 * which the first has the earlier definitions. @throws {UsageError}
 */
export async function diffCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  if (operands.length > 2) throw new UsageError('diff takes one server, two, or none.');
  for (const id of operands) options.session.named(id);
  const comparison = new Comparison(options);
  const [one, other] = operands;
  if (one !== undefined && other !== undefined) await comparison.ofServers(one, other);
  else await comparison.withLock(one);
  if (options.session.isCancelled) return exitCodes.cancelled;
  comparison.report();
  return comparison.code;
}

/** Tools by name. If the list is not whole, a tool that is missing may be there. */
interface ComparedTools<T> {
  readonly tools: ReadonlyMap<string, T>;
  readonly isWhole: boolean;
}

class Comparison {
  readonly #options: CommandTools;
  readonly #found: Difference[] = [];
  #hasFailed = false;

  constructor(options: CommandTools) {
    this.#options = options;
  }

  get code(): ExitCode {
    const all = this.#found.flatMap(({ changes }) => changes);
    if (all.some(({ breaks }) => breaks)) return exitCodes.callersBreak;
    if (all.length > 0) return exitCodes.lockDiffers;
    return this.#hasFailed ? exitCodes.serverFailed : exitCodes.passed;
  }

  async ofServers(one: string, other: string): Promise<void> {
    const [before, now] = [await this.#toolsOf(one), await this.#toolsOf(other)];
    if (before !== undefined && now !== undefined) this.#compare(other, one, before, now);
  }

  /** @throws {UsageError} */
  async withLock(only: string | undefined): Promise<void> {
    const { text, lock } = await readLockFile(this.#options.folder);
    if (text === '') throw new UsageError(`There is no ${lockFileName}: toolgate lock writes it.`);
    if (only !== undefined && !lock.servers.has(only)) {
      throw new UsageError(`${lockFileName} has no server "${only}".`);
    }
    for (const [id, locked] of lock.servers) {
      if (only !== undefined && only !== id) continue;
      const now = await this.#toolsOf(id);
      const before = { tools: locked.tools, isWhole: true };
      if (now !== undefined) this.#compare(id, lockFileName, before, now);
    }
  }

  report(): void {
    const { output, chosen } = this.#options;
    if (chosen.isJson) output.reportJson(`${JSON.stringify(this.#json(), undefined, 2)}\n`);
    else for (const each of this.#found) this.#reportOne(each);
  }

  /** Returns callable tools by name. Tells why, and returns `undefined`, when they are not known. */
  async #toolsOf(id: string): Promise<ComparedTools<Tool> | undefined> {
    const { session, output } = this.#options;
    try {
      const server = await session.start(id);
      const isWhole = notifyListProblems(server, output);
      if (!isWhole) this.#hasFailed = true;
      const callable = server.tools.flatMap(({ tool }) => (tool.callable ? [tool] : []));
      return { tools: new Map(callable.map((tool) => [tool.name, tool])), isWhole };
    } catch (thrown) {
      if (!session.isCancelled) output.notify(session.startFailure(id, thrown, output.redact));
      this.#hasFailed = true;
      return undefined;
    }
  }

  #compare(
    server: string,
    against: string,
    before: ComparedTools<Tool | LockedTool>,
    now: ComparedTools<Tool>,
  ): void {
    const all = [...new Set([...before.tools.keys(), ...now.tools.keys()])].toSorted();
    const isKnown = (name: string): boolean =>
      [before, now].every(({ tools, isWhole }) => isWhole || tools.has(name));
    const changes = all.filter(isKnown).flatMap((tool) => {
      const found = changesOf(before.tools.get(tool), now.tools.get(tool));
      return found.map((change) => ({ tool, ...change }));
    });
    this.#found.push({ server, against, changes });
  }

  #reportOne({ server, against, changes }: Difference): void {
    const { output } = this.#options;
    const shown = (name: string): string => visibleText(output.redact(name), maxNameChars);
    const breaking = changes.filter(({ breaks }) => breaks).length;
    output.report(`- ${shown(server)}, compared with ${shown(against)}\n`);
    for (const { tool, ...change } of changes.slice(0, maxTold)) {
      const mark = change.breaks ? output.paint('red', '✗') : '~';
      output.reportPainted(
        `  ${mark} ${shown(tool)}: ${definitionChangeMessage(change, output.redact)}\n`,
      );
    }
    const more = changes.length > maxTold ? `, the first ${maxTold} are shown` : '';
    output.report(`  Changes: ${changes.length}, of which ${breaking} break a caller${more}\n`);
  }

  /** Redacts values and no names of members. */
  #json(): object {
    const { redact } = this.#options.output;
    const servers = this.#found.map(({ server, against, changes }) => ({
      server: redact(server),
      against: redact(against),
      changes: changes.slice(0, maxTold).map((change) => ({
        ...change,
        tool: redact(change.tool),
        sentence: definitionChangeMessage(change, redact),
        ...(change.kind === 'schema' ? redactedPlace(change, redact) : {}),
      })),
      left: Math.max(0, changes.length - maxTold),
    }));
    return { version: 1, breaks: this.code === exitCodes.callersBreak, servers };
  }
}

function redactedPlace(
  { pointer, keyword, before, now }: Extract<DefinitionChange, { kind: 'schema' }>,
  redact: (text: string) => string,
): object {
  return {
    pointer: redact(pointer),
    ...(keyword === undefined ? {} : { keyword: redact(keyword) }),
    ...(before === undefined ? {} : { before: redact(before) }),
    ...(now === undefined ? {} : { now: redact(now) }),
  };
}

function changesOf(
  before: Tool | LockedTool | undefined,
  now: Tool | undefined,
): readonly DefinitionChange[] {
  if (before === undefined || 'name' in before) return definitionChanges(before, now);
  if (now === undefined) return [{ kind: 'gone', breaks: true }];
  if (before.fingerprint === toolFingerprint(now)) return [];
  const { definition } = before;
  return definition === undefined
    ? [{ kind: 'unknown', breaks: false }]
    : definitionChanges(definition.tool, now);
}

const maxChars = 400;

/** Describes one change of a tool in a sentence of bounded length. */
function definitionChangeMessage(
  change: DefinitionChange,
  redact: (text: string) => string,
): string {
  return visibleText(redact(changeMessage(change)), maxChars);
}

function changeMessage(change: DefinitionChange): string {
  switch (change.kind) {
    case 'gone':
      return 'the tool is gone.';
    case 'new':
      return 'the tool is new.';
    case 'other':
      return 'its definition changed in parts that do not affect callers.';
    case 'unknown':
      return 'its definition changed; the lock file has a fingerprint alone, so the change is unknown.';
    case 'text':
      return `its ${change.field} changed.`;
    case 'outputGone':
      return 'it no longer declares structured content.';
    case 'outputNew':
      return 'it declares structured content now.';
    case 'hint':
      return `its hints mean ${change.hint} ${change.now} now, and meant ${change.before}.`;
    case 'schema':
      return schemaChangeMessage(change.side, change);
    default:
      return assertNever(change);
  }
}

function schemaChangeMessage(side: SchemaWriter, change: SchemaChange): string {
  const { code, pointer, keyword = '', before, now } = change;
  const place = placeOf(side, pointer);
  const isOfCaller = side === 'arguments';
  switch (code) {
    case 'propertyGone':
      return `${place} is gone.`;
    case 'propertyNew':
      return `${place} is new.`;
    case 'nowRequired':
      return isOfCaller ? `${place} is required now.` : `${place} is always there now.`;
    case 'noLongerRequired':
      return isOfCaller ? `${place} is optional now.` : `${place} may be absent now.`;
    case 'type':
      return `${place} has the type ${now ?? 'any'} now, and had ${before ?? 'any'}.`;
    case 'values':
      return `${place} is one of ${now ?? 'any values'} now, and was one of ${before ?? 'any values'}.`;
    case 'closed':
      return `${place} may no longer have other members.`;
    case 'opened':
      return `${place} may have other members now.`;
    case 'note':
      return `the ${keyword} of ${place} changed.`;
    case 'limit':
    case 'other':
      return `${keyword} of ${place} is ${now ?? 'not set'} now, and was ${before ?? 'not set'}.`;
    case 'tooMuch':
      return 'there is more than is compared.';
    default:
      return assertNever(code);
  }
}

function placeOf(side: SchemaWriter, pointer: string): string {
  if (side === 'arguments') return pointer === '' ? 'the arguments' : `argument ${pointer}`;
  return pointer === '' ? 'the structured content' : `field ${pointer} of the structured content`;
}
