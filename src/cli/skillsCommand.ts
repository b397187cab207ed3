import type { McpClient } from '../core/client';
import { assertNever, toMcpError } from '../core/errors';
import { jsonPieces } from '../core/json/jsonPieces';
import { isOverLimits, type Skill } from '../core/skills/skill';
import { verifySkillFile, type SkillVerdict } from '../core/skills/verifySkill';
import { visibleText } from '../core/visibleText';
import { withStarted } from './callCommand';
import type { CommandTools } from './commandTools';
import { attempt } from './connectionCommands';
import { errorMessage, inLine } from './errorMessage';
import { exitCodes, type ExitCode } from './exitCodes';
import { notifyProblemsOfList } from './listProblems';
import { redactedResult } from './redactedResult';
import { onlyServer } from './typedServer';

interface VerifiedSkill extends Pick<Skill, 'uri' | 'name' | 'description'> {
  /** The number of files, or `dynamic` if the server does not list them. */
  readonly files: number | 'dynamic';
  readonly problems: readonly string[];
}

/**
 * Lists the skills of a server, reads all of their files, and compares each with its entry: size, digest,
 * and for `SKILL.md` the frontmatter. A difference fails the command. @throws {UsageError}
 */
export async function skillsCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const server = onlyServer('skills', operands);
  return withStarted(server, options, () =>
    attempt(`skills of "${server}"`, options, () => verifySkills(server, options)),
  );
}

async function verifySkills(server: string, options: CommandTools): Promise<ExitCode> {
  const { session, output, chosen } = options;
  const { isJson } = chosen;
  const client = session.registry.client(server);
  const { skills, problems } = await client.listSkills({ token: session.token });
  notifyProblemsOfList(server, { what: 'skills', problems }, output);
  const verified: VerifiedSkill[] = [];
  for (const skill of skills) {
    const found = await problemsOf(skill, client, options);
    if (session.isCancelled) return exitCodes.cancelled;
    const { uri, name, description, files } = skill;
    const count = files === 'dynamic' ? files : files.length;
    const one = { uri, name, description, files: count, problems: found };
    verified.push(one);
    if (!isJson) output.report(skillText(one, output.redact));
  }
  const json = redactedResult({ skills: verified }, output.redact);
  if (isJson) await output.reportJsonPieces(jsonPieces(json, 2));
  else if (skills.length === 0) output.report(`${inLine(server)}: no skills\n`);
  const isSound = verified.every((each) => each.problems.length === 0);
  return isSound && problems.length === 0 ? exitCodes.passed : exitCodes.failed;
}

async function problemsOf(
  skill: Skill,
  client: Pick<McpClient, 'readResource'>,
  { session, output }: CommandTools,
): Promise<readonly string[]> {
  const { files, uri } = skill;
  if (isOverLimits(skill)) return ['It has more or larger files than every client accepts.'];
  const problems: string[] = [];
  for (const each of files === 'dynamic' ? [uri] : files.map((file) => file.uri)) {
    if (session.isCancelled) break;
    try {
      const { contents } = await client.readResource(each, { token: session.token });
      const verdict = verifySkillFile([skill], each, contents);
      const problem = verdict && messageOf(verdict);
      if (problem !== undefined) problems.push(`${each} ${problem}.`);
    } catch (thrown) {
      problems.push(`${each}: ${errorMessage(toMcpError(thrown), output.redact)}`);
    }
  }
  return problems;
}

function messageOf(verdict: SkillVerdict): string | undefined {
  switch (verdict.kind) {
    case 'asListed':
    case 'dynamic':
      return undefined;
    case 'unlisted':
      return 'is not listed';
    case 'noContent':
      return 'does not have exactly one content';
    case 'size':
      return `has ${verdict.read} bytes, but ${verdict.listed} are listed`;
    case 'digest':
      return 'does not have the listed digest';
    case 'frontmatter':
      return verdict.field === undefined
        ? 'has no frontmatter that can be read'
        : `has another ${JSON.stringify(verdict.field)} in its frontmatter than is listed`;
    default:
      return assertNever(verdict);
  }
}

const maxTextChars = 500;

function skillText(
  { uri, description, files, problems }: VerifiedSkill,
  redact: (text: string) => string,
): string {
  const shown = (text: string) => visibleText(redact(text), maxTextChars);
  const count = files === 'dynamic' ? 'files not listed' : `files: ${files}`;
  const mark = problems.length === 0 ? '✓' : '✗';
  const below = problems.map((each) => `    ${shown(each)}\n`);
  return `${mark} ${shown(uri)}  ${shown(description)} (${count})\n${below.join('')}`;
}
