import { visibleText } from '../core/visibleText';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { tellListProblems } from './listProblems';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';

const maxNameChars = 200;

/** Servers with their tools and the risk of each, a line each. @throws {UsageError} */
export async function listCommand(
  operands: readonly string[],
  { session, output }: { readonly session: CliSession; readonly output: CliOutput },
): Promise<ExitCode> {
  const all = session.registry.servers.map(({ config }) => config.id);
  const ids = operands.length === 0 ? all : operands;
  if (ids.length === 0) throw new UsageError('No server is configured here.');
  let code: ExitCode = exitCodes.passed;
  for (const id of ids) {
    if (session.isCancelled) return exitCodes.cancelled;
    try {
      const server = await session.start(id);
      const { state, tools } = server;
      const revision = state.kind === 'running' ? ` (MCP ${state.revision})` : '';
      const shown = (name: string) => visibleText(output.redact(name), maxNameChars);
      output.report(`- ${shown(id)}${revision}\n`);
      for (const { tool, risk } of tools) {
        output.report(
          `  - ${shown(tool.name)}  ${tool.callable ? `${risk.level}, ${risk.basis}` : 'unusable'}\n`,
        );
      }
      if (!tellListProblems(server, output) && code === exitCodes.passed) {
        code = exitCodes.serverFailed;
      }
      const differences = await session.pins.differences(server);
      for (const line of differences) output.tell(line);
      if (differences.length > 0) code = exitCodes.lockDiffers;
    } catch (thrown) {
      if (session.isCancelled) return exitCodes.cancelled;
      output.tell(session.startFailure(id, thrown, output.redact));
      if (code === exitCodes.passed) code = exitCodes.serverFailed;
    }
  }
  return session.isCancelled ? exitCodes.cancelled : code;
}
