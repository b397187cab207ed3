import { type ReadFile, readConfiguration } from '../../host/configuration/readConfiguration';
import { type SourceFile, sourceFiles } from '../editor/configurationSources';

/** Content of a configuration file. */
export interface ReadSource {
  readonly file: SourceFile;
  readonly read: ReadFile;
}

/** Reads every configuration file. */
export function readSources(userFiles: readonly string[]): Promise<readonly ReadSource[]> {
  return Promise.all(
    sourceFiles(userFiles).map(async (file) => {
      return { file, read: await readConfiguration(file.source.path) };
    }),
  );
}
