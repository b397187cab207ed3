// The texts of the bundle by the alphabet: in the order in which files are found, two changes that
// have nothing to do with each other would meet in it.
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const file = path.join(__dirname, '../l10n/bundle.l10n.json');
const texts = JSON.parse(readFileSync(file, 'utf8'));
const sorted = Object.keys(texts)
  .toSorted()
  .map((key) => [key, texts[key]]);
writeFileSync(file, JSON.stringify(Object.fromEntries(sorted), undefined, 2));
