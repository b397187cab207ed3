// Writes dist/README.md, which the package has as its README: VS Code's page of an installed
// extension follows no link to a file, and shows only pictures with an https address. So the pages
// of the manual that README.md links to stand below it, and links between them lead there. Pictures
// come from the GitHub repository that package.json names, or from the address in
// TOOLGATE_PICTURES; where there is neither, their descriptions stand in their places.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const front = 'README.md';
const root = path.join(__dirname, '..');
const read = (file) => readFileSync(path.join(root, file), 'utf8');

/** Code, in which brackets mean something else; or a picture or link: `!`, its text, its target. */
const codeOrLink = /^ *```[^]*?^ *```$|`[^`\n]+`|(!?)\[([^[\]]*)\]\(([^)\s]+)\)/gm;

/** Calls `change` with each picture and link of a page and puts what it gives in its place. */
function replaceLinks(text, change) {
  return text.replaceAll(codeOrLink, (whole, mark, words, target) =>
    target === undefined ? whole : change({ whole, isPicture: mark === '!', words, target }),
  );
}

/** Where a target in a page leads: a path from the root of the project, and a heading. */
function resolve(page, target) {
  const [file, heading = ''] = target.split('#', 2);
  return { file: file === '' ? page : path.posix.join(path.posix.dirname(page), file), heading };
}

const isAddress = (target) => /^[a-z][a-z+.-]*:/i.test(target);

/** The pages of the manual that the front page links to, in the order of its table. */
function manualPages() {
  const pages = new Set();
  const [, table] = read(front).split('\n## Where to read on\n');
  replaceLinks(table + read(front), ({ whole, target }) => {
    const { file } = resolve(front, target);
    if (!isAddress(target) && /^(docs\/[\w-]+|SECURITY)\.md$/.test(file)) pages.add(file);
    return whole;
  });
  return [...pages];
}

/** Where the pictures are, ending with a slash, or undefined. */
function picturesAddress() {
  const given = process.env.TOOLGATE_PICTURES;
  if (given) return given.endsWith('/') ? given : `${given}/`;
  const { repository } = JSON.parse(read('package.json'));
  const [, name] = /github\.com\/([^/]+\/[^/#]+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  return name === undefined ? undefined : `https://raw.githubusercontent.com/${name}/HEAD/`;
}

/** An id that no heading of these pages gets by itself. */
const anchor = (file, heading) => `page:${file}${heading === '' ? '' : `:${heading}`}`;

/** The name that GitHub and VS Code give to a heading. */
function slug(heading) {
  const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return plain
    .trim()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** A page with marks at its beginning and its headings, for links to lead to. */
function withAnchors(page, text) {
  const mark = (heading) => `<a id="${anchor(page, heading)}"></a>\n\n`;
  const marked = text.replaceAll(/^ *```[^]*?^ *```$|^#{2,6} +(.+)$/gm, (line, heading) =>
    heading === undefined ? line : mark(slug(heading)) + line,
  );
  return mark('') + marked;
}

function main() {
  const pages = [front, ...manualPages()];
  const pictures = picturesAddress();
  const texts = pages.map((page) =>
    replaceLinks(withAnchors(page, read(page)), ({ whole, isPicture, words, target }) => {
      if (isAddress(target)) return whole;
      const { file, heading } = resolve(page, target);
      if (isPicture)
        return pictures === undefined ? `_${words}_` : `![${words}](${pictures}${file})`;
      // What is for those who build is not part of this page.
      return pages.includes(file) ? `[${words}](#${anchor(file, heading)})` : words;
    }),
  );
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  writeFileSync(path.join(root, 'dist/README.md'), texts.join('\n'));
}

main();
