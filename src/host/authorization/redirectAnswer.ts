/** Why a text is not the answer of a sign-in. Nothing of the text is repeated anywhere. */
export type NoRedirectAnswer =
  | 'tooLong'
  /** The pasted text is neither an address nor a query string. */
  | 'notAnAddress'
  /** The pasted address differs from the redirect address. */
  | 'otherAddress'
  /** There is no `state`, so the code could come from another sender. */
  | 'noState'
  /** The state belongs to another attempt, or was made up. */
  | 'otherState'
  /** A parameter occurs twice, so its value is ambiguous. */
  | 'duplicate'
  /** There is neither a code nor an error. */
  | 'noOutcome';

export type RedirectAnswer =
  | { readonly kind: 'answer'; readonly address: URL }
  | { readonly kind: 'none'; readonly reason: NoRedirectAnswer };

/** The redirect that a sign-in waits for. */
export interface AwaitedRedirect {
  /** `redirect_uri`, exactly as sent. */
  readonly address: string;
  readonly state: string;
}

/** Length of an address with its query, in UTF-16 units. */
export const maxRedirectChars = 8 * 1024;

/** Parameters that may occur only once (RFC 6749 3.1). */
const parameters = ['state', 'code', 'error', 'error_description', 'error_uri', 'iss'];

/**
 * Checks that a query string, without its `?`, answers the sign-in: the right state, one outcome,
 * no duplicates. The returned address has the query unchanged.
 */
export function readRedirectQuery(query: string, awaited: AwaitedRedirect): RedirectAnswer {
  if (query.length > maxRedirectChars) return none('tooLong');
  const values = new URLSearchParams(query);
  const states = values.getAll('state');
  if (states.length === 0) return none('noState');
  if (parameters.some((name) => values.getAll(name).length > 1)) return none('duplicate');
  if (awaited.state === '' || states[0] !== awaited.state) return none('otherState');
  if (!values.has('code') && !values.has('error')) return none('noOutcome');
  const address = new URL(awaited.address);
  address.search = query;
  return { kind: 'answer', address };
}

/**
 * Reads what the user copied from the address bar of a page that could not be loaded: the full
 * address, or its query with or without the `?`.
 */
export function readPastedRedirect(text: string, awaited: AwaitedRedirect): RedirectAnswer {
  const pasted = text.trim();
  if (pasted.length > maxRedirectChars) return none('tooLong');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(pasted)) {
    const query = pasted.replace(/^\?/, '').replace(/#.*$/s, '');
    // Without a name and a value it is a code alone, or any other text.
    if (/\s/.test(query) || !query.includes('=')) return none('notAnAddress');
    return readRedirectQuery(query, awaited);
  }
  if (/\s/.test(pasted) || !URL.canParse(pasted)) return none('notAnAddress');
  const came = new URL(pasted);
  const wanted = new URL(awaited.address);
  const isSame =
    came.origin === wanted.origin &&
    came.pathname === wanted.pathname &&
    came.username === '' &&
    came.password === '';
  if (!isSame) return none('otherAddress');
  return readRedirectQuery(came.search.replace(/^\?/, ''), awaited);
}

function none(reason: NoRedirectAnswer): RedirectAnswer {
  return { kind: 'none', reason };
}

/** Only a web page is opened in a browser, whatever the metadata of a server says. */
export function isWebPage(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === ''
  );
}
