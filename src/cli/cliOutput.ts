import type { SecretValues } from '../host/secrets/secretValues';

/** The streams of a process, as far as this program needs them. */
export interface Streams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export type Colour = 'red' | 'green' | 'yellow' | 'dim';
const codes: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33, dim: 2 };

/** Writes reports to standard output and everything else to standard error, both without secrets. */
export class CliOutput {
  readonly #streams: Streams;
  readonly #secrets: Pick<SecretValues, 'redact'>;
  readonly #hasColours: boolean;

  /** `noColour` is the variable `NO_COLOR`: whatever it holds, colours are off (https://no-color.org). */
  constructor(
    streams: Streams,
    secrets: Pick<SecretValues, 'redact'>,
    noColour: string | undefined,
  ) {
    this.#streams = streams;
    this.#secrets = secrets;
    this.#hasColours = streams.stdout.isTTY === true && (noColour ?? '') === '';
  }

  /** Part of the report. */
  report(text: string): void {
    if (text !== '') this.#streams.stdout.write(this.#secrets.redact(text));
  }

  /** A line for the person who looks on. */
  tell(line: string): void {
    this.#streams.stderr.write(`${this.#secrets.redact(line)}\n`);
  }

  /** On a terminal only. */
  readonly paint = (colour: Colour, text: string): string =>
    this.#hasColours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}
