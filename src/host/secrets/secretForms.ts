/** Shorter values are no secrets, and would be found in every second word. */
export const minSecretChars = 4;

/** Base64 of a part of a longer text shows only the inner characters; fewer say nothing. */
const minInnerChars = 8;

const maxPieceChars = 256;

/**
 * How a value may stand in a text: as it is, within JSON (and JSON within JSON), in a URL or a form,
 * and in base64, alone or as a part of something longer such as `user:password`. A value of several
 * lines counts line by line too, because logs are written so. Nothing for a value that is too short.
 */
export function formsOf(value: string): ReadonlySet<string> {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const wholes = [value, value.trim(), ...(lines.length > 1 ? lines : [])];
  const forms = new Set<string>();
  for (const whole of wholes.flatMap(pieces)) {
    if (whole.length < minSecretChars) continue;
    for (const form of [whole, ...inJson(whole), ...inUrls(whole), ...inBase64(whole)]) {
      if (form.length >= minSecretChars) forms.add(form);
    }
  }
  return forms;
}

/** A long value piece by piece, none of them short, so that no comparison is a long one. */
function pieces(value: string): string[] {
  if (value.length <= maxPieceChars) return [value];
  const count = Math.ceil(value.length / maxPieceChars);
  return Array.from({ length: count }, (_, index) => {
    const begin = Math.min(index * maxPieceChars, value.length - maxPieceChars);
    return value.slice(begin, begin + maxPieceChars);
  });
}

function inJson(value: string): string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [once, twice, once.replaceAll('/', '\\/')];
}

function inUrls(value: string): string[] {
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

function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const alone = bytes.toString('base64').replace(/=+$/, '');
  const inner = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Signs that hold bits of a neighbour are left out.
    const begin = offset === 0 ? 0 : offset + 1;
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    const piece = text.slice(begin, end);
    return piece.length < minInnerChars ? [] : [piece];
  });
  const forms = [alone, ...inner];
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
