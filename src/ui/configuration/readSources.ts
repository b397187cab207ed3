import { type ReadFile, readConfiguration } from '../../host/configuration/readConfiguration';
import { type SourceFile, sourceFiles } from './configurationSources';

/** What stands in such a file now. */
export interface ReadSource {
  readonly file: SourceFile;
  readonly read: ReadFile;
}

/** What stands in every file that servers are read from. */
export function readSources(userFile: string | undefined): Promise<readonly ReadSource[]> {
  return Promise.all(
    sourceFiles(userFile).map(async (file) => {
      return { file, read: await readConfiguration(file.source.path) };
    }),
  );
}
