/** Shorter values are not redacted, because they would occur in many words. */
export const minSecretChars = 4;

/** Base64 of a part of a longer text shows only the inner characters. Fewer are not specific. */
const minInnerChars = 8;

/**
 * Enough to identify a secret. With one repeated letter, every position of a text costs this much.
 */
const maxPieceChars = 64;
/** Pieces overlap by the rest, so that no gap is left between them, in base64 either. */
const pieceStep = 56;

/**
 * Returns the forms in which a value may occur in a text: unchanged, in JSON (and JSON within
 * JSON), in a URL or a form, in XML, and in base64, alone or as a part of something longer such as
 * `user:password`. A value of several lines also counts line by line, because logs are written that
 * way. Returns nothing for a value that is too short.
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

/** Splits a long value into pieces, none of them short, so that comparisons are bounded. */
function pieces(value: string): string[] {
  if (value.length <= maxPieceChars) return [value];
  const last = value.length - maxPieceChars;
  return Array.from({ length: Math.ceil(last / pieceStep) + 1 }, (_, index) => {
    const begin = Math.min(index * pieceStep, last);
    return value.slice(begin, begin + maxPieceChars);
  });
}

function inJson(value: string): string[] {
  // Most values are the same in JSON.
  if (/^[!#-%'-.0-;=?-[\]-~]*$/.test(value)) return [];
  const once = JSON.stringify(value).slice(1, -1);
  const forms = [once, JSON.stringify(once).slice(1, -1), once.replaceAll('/', '\\/')];
  // Escaped as Go does it, and as Python does.
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
  // Like `encodeURIComponent`, which throws for half a surrogate pair.
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
    // Characters that contain bits of a neighbor are left out.
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
 * Returns true if a text contains one of the call's secrets. A secret of fewer than four characters
 * occurs everywhere by chance, so only an equal text counts.
 */
export function holdsSecret(text: string, secrets: Iterable<string>): boolean {
  for (const secret of secrets) {
    if (text === secret || (secret.length >= minSecretChars && text.includes(secret))) return true;
  }
  return false;
}
