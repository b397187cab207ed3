/** Why what came is not the answer of a sign-in. Nothing of it is repeated anywhere. */
export type NoRedirectAnswer =
  | 'tooLong'
  /** Pasted: no address, and no query of one. */
  | 'notAnAddress'
  /** Pasted: another place than the one that the browser was to be sent to. */
  | 'otherAddress'
  /** No `state`: a code alone cannot be told from one of somebody else. */
  | 'noState'
  /** Of another attempt, or made up. */
  | 'otherState'
  /** A parameter stands twice, so that nobody knows what it says. */
  | 'duplicate'
  /** Neither a code nor an error. */
  | 'noOutcome';

export type RedirectAnswer =
  | { readonly kind: 'answer'; readonly address: URL }
  | { readonly kind: 'none'; readonly reason: NoRedirectAnswer };

/** What a sign-in waits for. */
export interface AwaitedRedirect {
  /** `redirect_uri`, word for word. */
  readonly address: string;
  readonly state: string;
}

/** Of an address with its query, in UTF-16 units. */
export const maxRedirectChars = 8 * 1024;

/** Those that say something; each may stand once (RFC 6749 3.1). */
const parameters = ['state', 'code', 'error', 'error_description', 'error_uri', 'iss'];

/**
 * Whether a query, as it stands behind the `?`, answers the sign-in: the right state, one
 * outcome, nothing twice. The address that comes out has the query as it came.
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
 * What a person took from the address bar of the page that could not be shown: the whole address,
 * or its query with or without the `?`.
 */
export function readPastedRedirect(text: string, awaited: AwaitedRedirect): RedirectAnswer {
  const pasted = text.trim();
  if (pasted.length > maxRedirectChars) return none('tooLong');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(pasted)) {
    const query = pasted.replace(/^\?/, '').replace(/#.*$/s, '');
    // Neither a name nor a value: a code, or any other word.
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
