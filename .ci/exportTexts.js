// Writes the texts that translators get, `l10n/bundle.l10n.json`: what l10n.t gets anywhere in src/, by the
// alphabet, because in the order of files two changes that have nothing to do with each other would meet.
const { getL10nJson } = require('@vscode/l10n-dev');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const source = path.join(__dirname, '../src');
const file = path.join(__dirname, '../l10n/bundle.l10n.json');

const anyImport = /^import [^;]*;$/gm;
const importOfTexts =
  /^import (?!type )[^;]*?(\* as \w+|\bl10n\b(?: as \w+)?)[^;]* from ('(?:vscode|@vscode\/l10n)');$/gm;

/** The import by which a file gets `l10n`, without what else it imports. */
function importsOf(text) {
  return [...text.matchAll(importOfTexts)].map(([, name, from]) =>
    name.startsWith('*') ? `import ${name} from ${from};` : `import { ${name} } from ${from};`,
  );
}

/**
 * All files are read as one, with each different import once, because l10n-dev compiles its queries anew for
 * each import of each file, which takes a tenth of a second of processor.
 */
async function exportTexts() {
  const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(source, name), 'utf8'))
    .filter((text) => importsOf(text).length > 0);
  const imports = new Set(texts.flatMap(importsOf));
  const bodies = texts.map((text) => text.replaceAll(anyImport, ''));
  const contents = [...imports, ...bodies].join('\n');
  const found = await getL10nJson([{ extension: '.ts', contents }]);
  const keys = Object.keys(found).toSorted();
  return Object.fromEntries(keys.map((key) => [key, found[key]]));
}

module.exports = exportTexts;
if (require.main === module) {
  void exportTexts().then((texts) => writeFileSync(file, JSON.stringify(texts, undefined, 2)));
}
