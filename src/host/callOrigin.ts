/** Where the wish to call came from; it stands in the dialog and later in the journal. */
export const callOrigins = ['palette', 'tree', 'file', 'history', 'api'] as const;
export type CallOrigin = (typeof callOrigins)[number];
