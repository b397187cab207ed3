import { readIconImage, type IconImage } from './imageFormat';

/** A picture that may be drawn. */
export interface ShowableIcon {
  /** `data:` with the type that the bytes have, whatever the server calls them. */
  readonly src: string;
}

/** In bytes: more than an icon needs, and small enough for a tooltip. */
export const maxIconBytes = 32 * 1024;

/** What may be drawn of these bytes; `undefined` for what is no such picture, or of another type. */
export function showableIcon(
  bytes: Uint8Array,
  mediaType?: IconImage['mediaType'],
): ShowableIcon | undefined {
  const image = bytes.length > maxIconBytes ? undefined : readIconImage(bytes);
  if (image === undefined || image.mediaType !== (mediaType ?? image.mediaType)) return undefined;
  return { src: `data:${image.mediaType};base64,${Buffer.from(bytes).toString('base64')}` };
}
