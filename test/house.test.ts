import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// What keeps the rooms in order inside: folders, names, lengths, and what happens when a file is loaded.

const root = path.resolve(__dirname, '..');
/** Fewer than these mean that the test looked at nothing. */
const fewestFiles = 400;
const fewestFolders = 60;
const maxFunctionLines = 40;

/** One type stands twice on purpose: as other extensions get it, and as the gate makes it. */
const namesOfTwo = ['CallOutcome'];

/** Longer than 40 lines, and better read as a whole: lists of sentences, constructors that join, tables. */
const longFunctions = [
  'answerOf',
  'addingTools',
  'askList',
  'callDiagnostics',
  'formatCallFileProblem',
  'formatConfigProblem',
  'constructor of ConsentParts',
  'constructor of Results',
  'constructor of ServerTreeView',
  'errorAction',
  'expectSchema',
  'formatStepFact',
  'failureSentence',
  'follow',
  'listProblemSentence',
  'createExtension',
  'noteSentence',
  'probeHttp',
  'formatProblem',
  'formatRuleProblem',
  'read',
  'readInput',
  'readJournal',
  'readingTools',
  'removingTools',
  'sentence',
  'sharedFileSchema',
  'startAll',
  'startAndConnect',
  'timeoutSentence',
  'formatToolProblem',
  'diagnoseHttp',
];

/** What lives as long as the process, and why there is no better place for it. */
const stateOfModules: Readonly<Record<string, string>> = {
  'src/core/bounds/runWithTimeLimit.ts':
    'a context of its own costs a millisecond, and is made when it is first needed',
  'src/core/json/jsonLevels.ts':
    'a fact about each parsed result, held weakly: between the reader and the parser stand layers that know no text',
  'src/core/json/writtenNumber.ts':
    'set while JSON.stringify calls toJSON, which gets no argument; and whether anything is to be looked for',
  'src/manifest/texts.ts': 'is not part of the product',
  'src/core/stdio/startChild.ts': 'whose turn it is to start a program: one thread starts them all',
  'src/core/schema/secretPlaces.ts':
    'known by the schema, and gone with it; asked by every call, in several features',
  'src/core/schema/subschemas.ts':
    'known by the schema, and gone with it; asked by every walk through a schema, at every reference',
  'src/start.ts': 'VS Code calls deactivate without an argument',
  'src/ui/arguments/argumentDocuments.ts': 'known by the document, and gone with it',
  'src/ui/callFiles/callFileDocuments.ts': 'known by the document, and gone with it',
  'src/ui/editor/fileSystems.ts': 'VS Code has one place for each scheme',
  'src/ui/editor/ownArguments.ts':
    'what was handed out is known by the object itself, in every feature',
  'src/ui/editor/picker.ts': 'a window has one input at a time, whichever feature opened it',
  'src/ui/format/windowFacts.ts': 'what texts depend on, as @vscode/l10n keeps the translation',
};

interface Source {
  readonly file: string;
  readonly text: string;
}

function readSources(folder: string): Source[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return readSources(file);
    if (!file.endsWith('.ts')) return [];
    return [{ file, text: readFileSync(path.join(root, file), 'utf8') }];
  });
}

/** A folder, or a file at the top of a room or of them all, which is a step of its own. */
function placeOf(file: string): string {
  return file.split('/').length <= 3 ? file : path.posix.dirname(file);
}

const importPattern =
  /(?:import|export)\s[^'";]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)|import\s+'(\.[^']+)'/g;

/** From each place to those that it imports, types included. */
function arrowsOf(sources: readonly Source[]): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const { file, text } of sources) {
    const from = placeOf(file);
    const targets = arrows.get(from) ?? new Set();
    arrows.set(from, targets);
    for (const match of text.matchAll(importPattern)) {
      const specifier = match[1] ?? match[2] ?? match[3] ?? '';
      const to = placeOf(`${path.posix.join(path.posix.dirname(file), specifier)}.ts`);
      if (to !== from) targets.add(to);
    }
  }
  return arrows;
}

function cyclesIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (place: string, trail: readonly string[]): void => {
    if (state.get(place) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(place)), place].join(' -> '));
    }
    if (state.has(place)) return;
    state.set(place, 'open');
    for (const next of arrows.get(place) ?? []) visit(next, [...trail, place]);
    state.set(place, 'done');
  };
  for (const place of arrows.keys()) visit(place, []);
  return cycles;
}

const exportPattern =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;

const functionPattern =
  /^(\s*)(?:export )?(?:(?:async )?function\*? ?(\w+)|(?:static |private |async |get |set |\*)*(#?\w+)\s*(?:<[^>]*>)?\()/;
const notFunctions = /^\s*(?:if|for|while|switch|return|catch|await|throw|super|new)\b/;

/** Functions and methods of more lines than they should have; the formatter's layout tells where each ends. */
function longFunctionsOf({ text }: Source): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, start) => {
    const match = functionPattern.exec(line);
    if (match === null || notFunctions.test(line) || !/[{(]$/.test(line)) return [];
    const [, indent = '', ...names] = match;
    // A signature of several lines, not a call.
    const next = lines.find((each, index) => index > start && !each.startsWith(`${indent} `)) ?? '';
    if (line.endsWith('(') && !/^\s*\).* \{$/.test(next)) return [];
    const end = lines.findIndex((each, index) => index > start && each === `${indent}}`);
    if (end - start + 1 <= maxFunctionLines) return [];
    const name = names.find((each) => each !== undefined) ?? '';
    const owner = /class (\w+)/.exec(text)?.[1];
    return [name === 'constructor' ? `constructor of ${owner}` : name.replace('#', '')];
  });
}

/** What changes while the extension runs: variables, and collections that are empty at first. */
const statePattern =
  /^(?:export )?(?:let \w+|const \w+(?:: (?!Readonly)[^=]+)? = new (?:Map|Set|WeakMap|WeakSet|\w*Emitter)(?:<.*>)?\(\);$)/m;

/** Constructors, by the formatter's layout. */
const constructorPattern = /^  constructor\([\s\S]*?^  \}$/gm;

/** How a plain object is told from everything else. */
const plainObjectPattern =
  /typeof (\w+) [!=]== 'object' (?:&&|\|\|) \1 [!=]== null (?:&&|\|\|) !?Array\.isArray\(\1\)/;

describe('The house', () => {
  const sources = readSources('src');
  const arrows = arrowsOf(sources);

  it('was read completely', () => {
    assert.ok(sources.length >= fewestFiles, `${sources.length} files`);
    assert.ok(arrows.size >= fewestFolders, `${arrows.size} folders`);
  });

  it('has no circular imports between folders, types included', () => {
    assert.deepEqual(cyclesIn(arrows), []);
  });

  it('has at most ten levels of folders in ui', () => {
    const floors = new Map<string, number>();
    const floorOf = (place: string): number => {
      const below = [...(arrows.get(place) ?? [])].filter((each) => each.startsWith('src/ui/'));
      const floor = floors.get(place) ?? 1 + Math.max(0, ...below.map(floorOf));
      floors.set(place, floor);
      return floor;
    };
    const places = [...arrows.keys()].filter((each) => each.startsWith('src/ui/'));
    const highest = places.filter((place) => floorOf(place) > 10);
    assert.deepEqual(highest, []);
    assert.ok(Math.max(...floors.values()) > 5);
  });

  it('connects its parts only at the top', () => {
    const importers = [...arrows].flatMap(([from, to]) => (to.has('src/parts') ? [from] : []));
    const files = sources.filter(({ file }) => file.startsWith('src/parts/'));
    assert.ok(files.length > 5, `${files.length} parts`);
    const top = (place: string) =>
      ['src/start.ts', 'src/extension.ts', 'src/parts'].includes(place);
    assert.deepEqual(
      importers.filter((place) => !top(place)),
      [],
    );
  });

  it('uses one name for one concept', () => {
    const places = new Map<string, string[]>();
    for (const { file, text } of sources) {
      for (const [, name = ''] of text.matchAll(exportPattern)) {
        places.set(name, [...(places.get(name) ?? []), file]);
      }
    }
    assert.ok(places.size > 500, `${places.size} names`);
    const twice = [...places].filter(([, files]) => files.length > 1);
    assert.deepEqual(
      twice.filter(([name]) => !namesOfTwo.includes(name)),
      [],
    );
  });

  it('has no two files with the same name', () => {
    const places = new Map<string, string[]>();
    for (const { file } of sources) {
      const name = path.posix.basename(file);
      places.set(name, [...(places.get(name) ?? []), file]);
    }
    assert.deepEqual(
      [...places.values()].filter((files) => files.length > 1),
      [],
    );
  });

  it('registers no command in a constructor, but in register(), which is disposable', () => {
    const makers = sources.filter(({ text }) => text.includes('registerCommand'));
    assert.ok(makers.length > 20, `${makers.length} files make commands`);
    const inConstructors = makers.filter(({ text }) =>
      (text.match(constructorPattern) ?? []).some((each) => each.includes('registerCommand')),
    );
    const plural = sources.filter(({ text }) => /\bregisterCommands\b/.test(text));
    assert.deepEqual(
      [...inConstructors, ...plural].map(({ file }) => file),
      [],
    );
  });

  it('names bags of arguments Options, and connecting classes Parts', () => {
    const bags = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/^(?:export )?(?:interface|type) (\w+Parts)\b/gm)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    const makers = sources.filter(
      ({ file, text }) => !file.startsWith('src/parts/') && /class \w+Parts\b/.test(text),
    );
    assert.deepEqual([...bags, ...makers.map(({ file }) => file)], []);
  });

  it('checks for plain objects in one place', () => {
    const found = sources.filter(({ text }) => plainObjectPattern.test(text));
    assert.deepEqual(
      found.map(({ file }) => file),
      ['src/core/json/shapes.ts'],
    );
  });

  it('has long functions only in a list', () => {
    const found = new Set(sources.flatMap(longFunctionsOf));
    assert.deepEqual([...found].toSorted(), longFunctions.toSorted());
  });

  it('keeps state in modules only in a list with reasons', () => {
    const found = sources.filter(({ text }) => statePattern.test(text)).map(({ file }) => file);
    assert.deepEqual(found.toSorted(), Object.keys(stateOfModules).toSorted());
  });
});
