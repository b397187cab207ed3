import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { resultsFolder } from '../vscode/paths';
import { makeTemporaryFolder } from '../vscode/server';
import type { ClientName } from './clients';
import { lookAt, safeCall, type SafeCall } from './look';
import { install, readPackages, type CorpusPackage } from './packages';
import { ratios, shortcomings, toTable, type Row } from './table';

// `npm run corpus [-- word …]`: real servers of npm under our client and under both official SDKs.
// Installs each (no script of it runs), starts it, lists, makes one call that changes nothing, stops
// it and looks for what is left. Writes a table; fails where an SDK does what ours does not.
// With TOOLGATE_CORPUS_FOLDER what is installed stays there for the next time.

const order: readonly ClientName[] = ['us', 'SDK 1', 'SDK 2'];

async function look(one: CorpusPackage, folder: string, runs: string, at: number): Promise<Row> {
  const name = one.bin === undefined ? one.package : `${one.package} (${one.bin})`;
  let installed;
  try {
    installed = await install(one, folder);
  } catch (error) {
    const installError = error instanceof Error ? error.message : String(error);
    return { name, version: '', looks: [], installError };
  }
  const { file, version, remove } = installed;
  const args = [file, ...(one.args ?? [])];
  const program = { command: process.execPath, args, env: one.env ?? {} };
  const looks = new Map<ClientName, Row['looks'][number]>();
  let call: SafeCall | undefined;
  // The first one reads the files of the package from the disk, so each is that in turn.
  for (const turn of order.keys()) {
    const client = order[(at + turn) % order.length] ?? 'us';
    const seen = await lookAt(client, program, runs, call);
    if (call === undefined && seen.tools.length > 0) call = safeCall(seen.tools);
    looks.set(client, seen.look);
  }
  remove();
  return { name, version, looks: order.flatMap((client) => looks.get(client) ?? []) };
}

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const packages = readPackages().filter(
    (one) => words.length === 0 || words.some((word) => one.package.includes(word)),
  );
  const { folder: temporary, remove } = makeTemporaryFolder('corpus');
  const folder = process.env['TOOLGATE_CORPUS_FOLDER'] ?? path.join(temporary, 'packages');
  const runs = path.join(temporary, 'runs');
  for (const each of [folder, runs]) mkdirSync(each, { recursive: true });
  const rows: Row[] = [];
  for (const [at, one] of packages.entries()) {
    const row = await look(one, folder, runs, at);
    rows.push(row);
    console.log(toTable([row]).split('\n').slice(2).join('\n'));
  }
  remove();
  const wrong = shortcomings(rows);
  const text = [
    toTable(rows),
    '',
    ratios(rows),
    '',
    wrong.length === 0 ? 'Nothing works elsewhere and not here.' : wrong.join('\n'),
    '',
  ].join('\n');
  mkdirSync(resultsFolder, { recursive: true });
  const file = path.join(resultsFolder, 'corpus.md');
  writeFileSync(file, text);
  console.log(`\n${text}\n${rows.length} servers: ${file}`);
  return rows.length > 0 && wrong.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
