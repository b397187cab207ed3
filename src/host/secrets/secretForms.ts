/** Shorter values are no secrets, and would be found in every second word. */
export const minSecretChars = 4;

/** Base64 of a part of a longer text shows only the inner characters; fewer say nothing. */
const minInnerChars = 8;

/** Enough to know a secret by; where one letter repeats, each place of a text costs as much. */
const maxPieceChars = 64;
/** Pieces overlap by the rest, so that nothing is left between them, in base64 either. */
const pieceStep = 56;

/**
 * How a value may stand in a text: as it is, within JSON (and JSON within JSON), in a URL or a form,
 * in XML, and in base64, alone or as a part of something longer such as `user:password`. A value of several
 * lines counts line by line too, because logs are written so. Nothing for a value that is too short.
 */
export function formsOf(value: string): ReadonlySet<string> {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const wholes = [value, value.trim(), ...(lines.length > 1 ? lines : [])];
  const forms = new Set<string>();
  for (const whole of wholes.flatMap(pieces)) {
    if (whole.length < minSecretChars) continue;
    for (const form of [
      whole,
      ...inJson(whole),
      ...inUrls(whole),
      ...inXml(whole),
      ...inBase64(whole),
    ]) {
      if (form.length >= minSecretChars) forms.add(form);
    }
  }
  return forms;
}

/** A long value piece by piece, none of them short, so that no comparison is a long one. */
function pieces(value: string): string[] {
  if (value.length <= maxPieceChars) return [value];
  const last = value.length - maxPieceChars;
  return Array.from({ length: Math.ceil(last / pieceStep) + 1 }, (_, index) => {
    const begin = Math.min(index * pieceStep, last);
    return value.slice(begin, begin + maxPieceChars);
  });
}

function inJson(value: string): string[] {
  // Most values stand in JSON as they are.
  if (/^[!#-%'-.0-;=?-[\]-~]*$/.test(value)) return [];
  const once = JSON.stringify(value).slice(1, -1);
  const forms = [once, JSON.stringify(once).slice(1, -1), once.replaceAll('/', '\\/')];
  // As Go writes it, and as Python does.
  const inGo = once.replaceAll(/[<>&\u2028\u2029]/g, escaped);
  const inPython = once.replaceAll(/[^\0-~]/g, escaped);
  return [
    ...forms,
    ...[inGo, inPython].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]),
  ];
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function inUrls(value: string): string[] {
  if (/^[\w.-]*$/.test(value)) return [];
  // As `encodeURIComponent`, which throws at half a surrogate pair.
  const inForm = new URLSearchParams([['', value]]).toString().slice(1);
  const inPath = inForm
    .replaceAll('+', '%20')
    .replaceAll(/%(?:21|27|28|29|7E)/g, (code) => decodeURIComponent(code));
  const encoded = [inForm, inPath];
  return [
    ...encoded,
    ...encoded.map((text) => text.replaceAll(/%../g, (code) => code.toLowerCase())),
  ];
}

function inXml(value: string): string[] {
  if (!/[&<>"']/.test(value)) return [];
  const inText = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = inText.replaceAll('"', '&quot;');
  const others = ['&apos;', '&#39;'].map((apostrophe) => quoted.replaceAll("'", apostrophe));
  return [inText, quoted, ...others];
}

function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [bytes.toString('base64').replace(/=+$/, '')];
  for (const offset of [0, 1, 2]) {
    // Signs that hold bits of a neighbour are left out.
    const begin = offset === 0 ? 0 : offset + 1;
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    if (end - begin < minInnerChars) continue;
    const shifted = offset === 0 ? bytes : Buffer.concat([Buffer.alloc(offset), bytes]);
    forms.push(shifted.toString('base64').slice(begin, end));
  }
  if (!/[+/]/.test(forms.join(''))) return forms;
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * Whether a text is one of the secrets that came along with a call, or holds one; a secret of fewer
 * than four characters stands everywhere by chance, so only a text that is it counts.
 */
export function holdsSecret(text: string, secrets: Iterable<string>): boolean {
  for (const secret of secrets) {
    if (text === secret || (secret.length >= minSecretChars && text.includes(secret))) return true;
  }
  return false;
}
