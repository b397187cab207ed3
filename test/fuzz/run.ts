import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { projectFolder } from '../vscode/paths';

// npm run fuzz: the stage `fuzz` of npm test with ten times as many cases.
const env = { ...process.env };
env['TOOLGATE_FUZZ_CASES'] ??= '1000000';
const runner = path.join(projectFolder, 'test/run.ts');
const { status } = spawnSync(process.execPath, ['--import', 'tsx', runner, 'fuzz'], {
  cwd: projectFolder,
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
