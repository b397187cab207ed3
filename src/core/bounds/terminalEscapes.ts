/**
 * Matches the escape sequences of ECMA-48: control sequences (colors, cursor), strings up to BEL or
 * ST (titles, links), and those of two or three characters. Takes linear time, because no sequence
 * contains the start of another and no part of one can match where the next part does.
 */
const escapes =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\u001B\[|\u009B)[0-?]{0,256}[ -/]{0,16}[@-~]|\u001B[\]PX^_][^\u0007\u001B\u009B\u009C]{0,4096}(?:\u0007|\u001B\\|\u009C)|\u001B[#()*+]?[0-OQ-WYZ\\`-~]/g;

/**
 * Removes terminal escape sequences. One that is incomplete stays, and so does one of more than 256
 * characters of parameters or a string of more than 4,096. Replaces `stripVTControlCharacters` of
 * Node, which takes quadratic time for hostile text.
 */
export function withoutTerminalEscapes(text: string): string {
  return text.replaceAll(escapes, '');
}
