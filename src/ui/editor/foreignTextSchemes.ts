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
 * Every scheme whose read-only documents hold text of servers, files or registries. Their names and
 * languages are ours (`core/content/documentNames.ts`), so that nothing acts on what they say.
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
