import {
  addingScheme,
  comparisonScheme,
  definitionScheme,
  diagnosisScheme,
  journalScheme,
  recordingScheme,
  reportScheme,
  reviewScheme,
  rulesScheme,
  runAllScheme,
  scheme,
  trustScheme,
} from '../../ids';

/**
 * Schemes whose read-only documents contain text from servers, files or registries. Their names and
 * languages are chosen by us (`core/content/documentNames.ts`), so that no extension acts on their
 * content.
 */
export const foreignTextSchemes: readonly string[] = [
  scheme,
  comparisonScheme,
  reviewScheme,
  definitionScheme,
  trustScheme,
  journalScheme,
  recordingScheme,
  rulesScheme,
  addingScheme,
  diagnosisScheme,
  runAllScheme,
  reportScheme,
];
