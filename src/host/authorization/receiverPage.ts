/** What the browser shows at the end; of ours alone, in the person's language. */
export interface ReceiverTexts {
  /** As in `lang` of HTML. */
  readonly language: string;
  /** After the answer: go back to the editor. */
  readonly received: string;
  /** For whatever is no answer. */
  readonly refused: string;
}

/** No script, no style, no frame, no form, nothing kept, and nothing told to where a link leads. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // What floods shall not keep connections.
  Connection: 'close',
};

/** A page that says one thing. Nothing of a request ever stands in it. */
export function receiverPage(text: string, language: string): string {
  return [
    '<!doctype html>',
    `<html lang="${escaped(language)}">`,
    '<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">',
    '<meta name="viewport" content="width=device-width"><title>Toolgate</title></head>',
    `<body><main><h1>Toolgate</h1><p>${escaped(text)}</p></main></body></html>`,
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '');
}
