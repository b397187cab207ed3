import type { Addition } from '../../host/adding/configurationAdditions';
import { formatOf } from '../../host/configuration/configurationFormats';
import type { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { placeOf, remember } from '../secrets/inputQuestions';
import { formatSource } from '../format/sentencesOfProblems';
import type { Target } from './targets';
import { writeAddition } from './writeAddition';
import type { WritePreviews } from './writePreviews';

export interface WriteServersOptions {
  readonly previews: Pick<WritePreviews, 'ask'>;
  readonly remembered: RememberedInputs;
  /** Reloads the configuration. */
  readonly reload: () => Promise<void>;
}

export interface Writing {
  readonly target: Target;
  readonly addition: Addition;
  /** Values of the inputs, by id. */
  readonly values: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/**
 * Writes servers after a preview of the file. Secrets go to secret storage, never into the file.
 * Returns whether the file was written and saved.
 */
export async function writeServers(
  { target: { uri, source }, addition, values, notes }: Writing,
  { previews, remembered, reload }: WriteServersOptions,
): Promise<boolean> {
  const file = { uri, name: formatSource(source), format: formatOf(source) };
  const outcome = await writeAddition({ file, addition, notes }, previews);
  if (outcome === undefined) return false;
  for (const [id, value] of values) {
    await remember(remembered, placeOf({ id, source }), true, value);
  }
  await reload();
  return outcome === 'saved';
}
