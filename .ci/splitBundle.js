// How the bundle of the extension is cut: dist/extension.js has what every window needs, and
// dist/chunks/ what is loaded when it is used. Sources know nothing of it.
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
    'core/auth/revokeGrant',
    'core/http/connectHttp',
    'core/icons/fetchIcon',
    'core/parse/parseResults',
    'core/parse/parseTool',
    'core/schema/schemaCompiler',
    'core/schema/schemaDefaults',
    'core/schema/schemaGuide',
    'core/stdio/connectStdio',
    'core/stdio/processFacts',
    'core/stdio/startChild',
    'core/stdio/strays',
    'host/authorization/loopbackReceiver',
    'ui/authorization/signInAgent',
    'ui/elicitation/formDialog',
  ],
  calling: [
    'core/arguments/inputFields',
    'core/arguments/judgeArguments',
    'core/content/content',
    'core/content/mediaTypes',
    'host/callFiles/callCopies',
    'host/consent/rules/conditions',
    'host/history/answerFile',
    'host/journal/verify',
    'ui/arguments/fieldQuestions',
    'ui/arguments/formatField',
    'ui/journal/formatJournalRow',
    'ui/resources/templateSteps',
    'ui/results/linkOpening',
    'ui/results/resultOverview',
  ],
  agents: ['host/agents/agentEndpoint'],
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
    'ui/diagnosis/formatDiagnosis',
    'ui/editor/keyboardHelpText',
    'ui/format/sentences',
    'ui/format/sentencesOfProblems',
    'ui/secrets/manageSecrets',
    'ui/serverTrust/formatTrustQuestion',
    'ui/tree/serverTreeTooltips',
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
  return [`const load = () => require('./chunks/${group}.js');`, ...lines].join('\n');
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

/** Only ES modules can be split, and only CommonJS finds `vscode` everywhere: the parts are turned into it. */
const toCommonJs = ({ minify, sourcemap, target }) => ({
  name: 'to-common-js',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      if (outputFiles.length === 0) return;
      mkdirSync(chunks, { recursive: true });
      const written = new Set();
      for (const { path: file, text } of outputFiles) {
        const beside = path.dirname(file) === chunks ? './' : './chunks/';
        const plain = text
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

/** @returns {import('esbuild').BuildOptions} the options of a bundle, cut. */
module.exports = function splitBundle(options) {
  const { entryPoint, outdir, minify, sourcemap, target, plugins, ...rest } = options;
  const parts = Object.keys(groups).map((name) => [`chunks/${name}`, `group:${name}`]);
  return {
    ...rest,
    entryPoints: { [path.parse(entryPoint).name]: entryPoint, ...Object.fromEntries(parts) },
    outdir,
    target,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    write: false,
    sourcemap: sourcemap && 'inline',
    plugins: [loadedWhenUsed, smallJsonrpc, ...plugins, toCommonJs({ minify, sourcemap, target })],
  };
};
