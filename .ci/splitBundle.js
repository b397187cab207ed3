// How the bundle of the extension is cut: dist/extension.js has what every window needs, and
// dist/chunks/ what is loaded when it is used: what `import(…)` names, and the groups below, of
// which sources know nothing.
const { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');

const root = path.join(__dirname, '..');
const source = path.join(root, 'src');
const chunks = path.join(root, 'dist/chunks');

/** What is loaded together, when first used. These files export functions, classes and literals. */
const groups = {
  connecting: [
    'core/auth/oauthAuthorization',
    'core/auth/tokenRequests',
    'core/http/connectHttp',
    'core/recording/connectReplay',
    'core/parse/parseResults',
    'core/parse/parseTool',
    'core/schema/schemaCompiler',
    'core/schema/schemaDefaults',
    'core/schema/schemaGuide',
    'core/stdio/connectStdio',
    'core/stdio/processFacts',
    'core/stdio/startChild',
    'core/stdio/strayProcesses',
    'host/authorization/loopbackReceiver',
    'ui/authorization/signInAgent',
    'ui/elicitation/formDialog',
  ],
  calling: [
    'core/arguments/inputFields',
    'core/arguments/checkArguments',
    'core/content/content',
    'core/content/mediaTypes',
    'host/callFiles/callCopies',
    'host/consent/rules/conditions',
    'host/history/answers',
    'host/journal/verify',
    'ui/arguments/fieldQuestions',
    'ui/arguments/formatField',
    'ui/journal/formatJournalRow',
    'ui/results/linkOpening',
    'ui/results/partsOfCall',
    'ui/results/resultOverview',
  ],
  agents: ['host/agents/agentEndpoint'],
  showing: [
    'core/skills/verifySkill',
    'ui/answerPage/answerContent',
    'ui/answerPage/markdownNodes',
    'ui/answerPage/pageHtml',
  ],
  explaining: [
    'host/adding/clientEntry',
    'host/adding/draftSecrets',
    'host/adding/jsonDrafts',
    'host/configuration/envFile',
    'host/consent/rules/parseRule',
    'host/diagnosis/diagnosisRun',
    'ui/adding/addFlow',
    'ui/adding/addServer',
    'ui/adding/importServers',
    'ui/agents/agentConfigurationCommand',
    'ui/diagnosis/formatDiagnosis',
    'ui/editor/keyboardHelpText',
    'ui/format/sentences',
    'ui/format/sentencesOfProblems',
    'ui/secrets/manageSecrets',
    'ui/serverTrust/formatTrustQuestion',
  ],
  testing: ['ui/testing/testExplorer'],
};
const groupOf = (id) => Object.keys(groups).find((name) => groups[name].includes(id));

const exported =
  /^export (?:abstract )?((?:async )?function\*?|class|const|let|enum|\{|\*)\s*(\w*)(?: = ([\d_]+|'[^'\n]*');)?/gm;

/** A module with the same names, which loads the file of the group when one of them is used. */
function standIn(id, group) {
  const text = readFileSync(path.join(source, `${id}.ts`), 'utf8');
  const lines = [...text.matchAll(exported)].map(([, kind, name, literal]) => {
    if (kind.includes('function')) {
      return `export const ${name} = (...args) => load().${name}(...args);`;
    }
    if (kind === 'class') {
      return `export const ${name} = new Proxy(function () {}, {
        construct: (_, args) => new (load().${name})(...args),
        get: (_, key) => load().${name}[key],
      });`;
    }
    if (kind === 'const' && literal !== undefined) return `export const ${name} = ${literal};`;
    throw new Error(`${id} exports "${name}", which is no function, class or literal.`);
  });
  const load = `let loaded;
    const load = () => {
      try {
        return (loaded ??= require('./chunks/${group}.js'));
      } catch (error) {
        throw new Error('A part of Toolgate (${group}) could not be loaded.', { cause: error });
      }
    };`;
  return [load, ...lines].join('\n');
}

/** Everybody gets stand-ins for the files of the groups; only the group itself has the files. */
const loadedWhenUsed = {
  name: 'loaded-when-used',
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, (wanted) => {
      if (wanted.namespace === 'stand-in') return { path: wanted.path, external: true };
      if (wanted.namespace !== 'file') return undefined;
      const file = path.relative(source, path.join(wanted.resolveDir, wanted.path));
      const id = file.replaceAll('\\', '/');
      const group = groupOf(id);
      return group && { path: id, namespace: 'stand-in', pluginData: group };
    });
    build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path: id, pluginData: group }) => ({
      contents: standIn(id, group),
    }));
    build.onResolve({ filter: /^group:/ }, (wanted) => ({ path: wanted.path, namespace: 'group' }));
    build.onLoad({ filter: /.*/, namespace: 'group' }, (wanted) => ({
      contents: groups[wanted.path.slice('group:'.length)]
        .map((id) => `export * from './${id}';`)
        .join('\n'),
      resolveDir: source,
      loader: 'ts',
    }));
  },
};

/**
 * The few kilobytes of vscode-jsonrpc that everything needs; the rest comes with the first connection,
 * and sets up its surroundings anew.
 */
const smallJsonrpc = {
  name: 'small-jsonrpc',
  setup(build) {
    const common = path.join(path.dirname(require.resolve('vscode-jsonrpc/node')), '../common');
    const small = new Set(['CancellationToken', 'CancellationTokenSource', 'Emitter', 'Event']);
    build.onResolve({ filter: /^vscode-jsonrpc\/node$/ }, ({ importer }) => {
      const text = readFileSync(importer, 'utf8');
      const [, list = '*'] = /^import \{([^}]*)\} from 'vscode-jsonrpc\/node'/m.exec(text) ?? [];
      const names = list.split(',').map((name) => name.trim());
      const isSmall = names.every((name) => /^type |^$/.test(name) || small.has(name));
      return isSmall ? { path: 'small', namespace: 'jsonrpc' } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'jsonrpc' }, () => ({
      contents: `import surroundings from './ral';
        surroundings.install({ console, timer: { setTimeout: (act, ms, ...args) => {
          const timer = setTimeout(act, ms, ...args);
          return { dispose: () => clearTimeout(timer) };
        } } });
        export { Emitter, Event } from './events';
        export { CancellationToken, CancellationTokenSource } from './cancellation';`,
      resolveDir: common,
    }));
  },
};

/** The files that a file needs before it can be loaded, in their order, and itself. */
function filesBefore(file, outputs, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const needed = outputs[file].imports.filter(({ kind }) => kind === 'import-statement');
  return [
    ...needed.flatMap(({ path: each }) => (outputs[each] ? filesBefore(each, outputs, seen) : [])),
    file,
  ];
}

/** What is loaded in one turn of the extension host, in bytes before they are minified: some ms. */
const maxTurnBytes = 150_000;

/** Names of files in their order, together as long as they are small. */
function turnsOf(files, outputs) {
  let room = 0;
  const turns = [];
  for (const file of files) {
    const { bytes } = outputs[file];
    if (bytes > room) {
      turns.push([]);
      room = maxTurnBytes;
    }
    room -= bytes;
    turns.at(-1).push(path.basename(file));
  }
  return turns;
}

/** `import(…)` of a chunk: its files are loaded in a few turns, so that others get theirs. */
function inTurns(text, beside, { outputs }) {
  return text.replaceAll(/\bimport\("\.\/(?:chunks\/)?([\w-]+\.js)"\)/g, (_, name) => {
    const file = Object.keys(outputs).find((each) => each.endsWith(`/chunks/${name}`));
    return `(async () => {
      let last;
      for (const names of ${JSON.stringify(turnsOf(filesBefore(file, outputs), outputs))}) {
        for (const name of names) last = require('${beside}' + name);
        await new Promise((done) => setImmediate(done));
      }
      return last;
    })()`;
  });
}

/** Only ES modules can be split, and only CommonJS finds `vscode` everywhere: the parts are turned into it. */
const toCommonJs = ({ minify, sourcemap, target }) => ({
  name: 'to-common-js',
  setup(build) {
    build.onEnd(async ({ outputFiles = [], metafile }) => {
      if (outputFiles.length === 0) return;
      mkdirSync(chunks, { recursive: true });
      const written = new Set();
      for (const { path: file, text } of outputFiles) {
        const beside = path.dirname(file) === chunks ? './' : './chunks/';
        const plain = inTurns(text, beside, metafile)
          .replaceAll('__require("./chunks/', `require("${beside}`)
          .replaceAll('__require("', 'require("');
        const { code, map } = await esbuild.transform(plain, {
          format: 'cjs',
          platform: 'node',
          target,
          minify,
          sourcemap: sourcemap && 'external',
          sourcefile: path.basename(file),
        });
        writeFileSync(
          file,
          (map && `${code}//# sourceMappingURL=${path.basename(file)}.map\n`) || code,
        );
        if (map) writeFileSync(`${file}.map`, map);
        for (const name of [file, `${file}.map`]) written.add(path.basename(name));
      }
      // Last, because a window that is open may load what is still as it was.
      for (const name of readdirSync(chunks)) {
        if (!written.has(name)) rmSync(path.join(chunks, name));
      }
    });
  },
});

/**
 * What is reached from anywhere in these rooms is in files of its own, because what one turn of the
 * extension host loads it should load quickly.
 */
const cutRooms = ['core', 'host'];

/** A room as something that could be loaded by itself: what it shares with the rest is cut off. */
const roomsAsFiles = (entryPoint, options) => {
  let inputs;
  const readInputs = async () => {
    const name = path.parse(entryPoint).name;
    const plugins = [loadedWhenUsed];
    const found = await esbuild.build({
      ...options,
      entryPoints: { [name]: entryPoint },
      outdir: 'unused',
      format: 'esm',
      splitting: true,
      write: false,
      logLevel: 'silent',
      plugins,
    });
    return Object.keys(found.metafile.inputs);
  };
  return {
    name: 'rooms-as-files',
    setup(build) {
      build.onResolve({ filter: /^room:/ }, (wanted) => ({ path: wanted.path, namespace: 'room' }));
      build.onLoad({ filter: /.*/, namespace: 'room' }, async (wanted) => {
        inputs ??= readInputs();
        const folder = `src/${wanted.path.slice('room:'.length)}/`;
        const files = (await inputs).filter((each) => each.startsWith(folder));
        const contents = files.map((each) => `import './${each.slice('src/'.length)}';`).join('\n');
        return { contents, resolveDir: source, loader: 'ts' };
      });
    },
  };
};

/** @returns {import('esbuild').BuildOptions} the options of a bundle, cut. */
module.exports = function splitBundle(options) {
  const { entryPoint, outfile, minify, sourcemap, target, plugins, ...rest } = options;
  const parts = Object.keys(groups).map((name) => [`chunks/${name}`, `group:${name}`]);
  return {
    ...rest,
    entryPoints: {
      [path.parse(outfile).name]: entryPoint,
      ...Object.fromEntries(parts),
      ...Object.fromEntries(cutRooms.map((room) => [`chunks/${room}`, `room:${room}`])),
    },
    outdir: path.dirname(outfile),
    target,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    write: false,
    sourcemap: sourcemap && 'inline',
    plugins: [
      roomsAsFiles(entryPoint, { ...rest, target, plugins }),
      loadedWhenUsed,
      smallJsonrpc,
      ...plugins,
      toCommonJs({ minify, sourcemap, target }),
    ],
  };
};
