import { toMcpError } from '../core/errors';
import type { McpClient } from '../core/client';
import type { ServerPrompt } from '../core/parse/promptsAndResources';
import type { ListProblem, ResourceFacts } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorMessage';

/** Further lines of one server are left out. */
const maxLines = 100;
/** Further entries of one server are left out of JSON. */
const maxListed = 1_000;
const maxTextChars = 200;

type Listed = Pick<ResourceFacts, 'name' | 'title' | 'description' | 'mimeType'> & {
  readonly size?: number;
};

/** Resources, templates and prompts of a server. */
export interface ListedResources {
  readonly resources: readonly (Listed & { readonly uri: string })[];
  readonly templates: readonly (Listed & { readonly uriTemplate: string })[];
  readonly problems: readonly ListProblem[];
  readonly prompts: readonly ServerPrompt[];
  readonly problemsOfPrompts: readonly ListProblem[];
}

/** Lists what a server offers beside tools. Never rejects: failures are problems of the list. */
export async function listResources(
  client: Pick<McpClient, 'resources' | 'listPrompts'>,
): Promise<ListedResources> {
  const ofResources = await listOf(client.resources);
  try {
    const { prompts, problems } = await client.listPrompts();
    return { ...ofResources, prompts, problemsOfPrompts: problems };
  } catch (thrown) {
    return { ...ofResources, prompts: [], problemsOfPrompts: [problemOf(thrown)] };
  }
}

async function listOf(
  client: McpClient['resources'],
): Promise<Pick<ListedResources, 'resources' | 'templates' | 'problems'>> {
  try {
    const { resources, problems } = await client.list();
    const { templates, problems: ofTemplates } = await client.listTemplates();
    return { resources, templates, problems: [...problems, ...ofTemplates] };
  } catch (thrown) {
    return { resources: [], templates: [], problems: [problemOf(thrown)] };
  }
}

function problemOf(thrown: unknown): ListProblem {
  const { code, facts } = toMcpError(thrown);
  return { code: 'pageFailed', detail: `${code}: ${inLine(facts.detail)}` };
}

/** Formats one line for each entry. */
export function resourceLines(
  { resources, templates, prompts }: ListedResources,
  redact: CliOutput['redact'],
): readonly string[] {
  const shown = (text: string) => visibleText(redact(text), maxTextChars);
  const linesOf = (heading: string, all: readonly (readonly [string, Listed])[]) => {
    const lines = all
      .slice(0, maxLines)
      .map(([address, { title, name }]) => `  - ${shown(address)}  ${shown(title ?? name)}`);
    const more = all.length - lines.length;
    if (all.length === 0) return [];
    return [`  ${heading}:`, ...lines, ...(more > 0 ? [`  … ${more} more`] : [])];
  };
  return [
    ...linesOf(
      'resources',
      resources.map((each) => [each.uri, each] as const),
    ),
    ...linesOf(
      'templates',
      templates.map((each) => [each.uriTemplate, each] as const),
    ),
    ...linesOf(
      'prompts',
      prompts.map((each) => [signatureOf(each), each] as const),
    ),
  ];
}

/** `review(code, style?)`: what is not required has a question mark. */
function signatureOf({ name, arguments: all }: ServerPrompt): string {
  const names = all.map((each) => (each.isRequired ? each.name : `${each.name}?`));
  return names.length === 0 ? name : `${name}(${names.join(', ')})`;
}

/** Makes the JSON of the same lists. */
export function resourcesJson(
  { resources, templates, prompts }: ListedResources,
  redact: CliOutput['redact'],
): object {
  const textOf = (text: string | undefined) => (text === undefined ? undefined : redact(text));
  const factsOf = ({ name, title, description, mimeType, size }: Listed) => ({
    name: redact(name),
    title: textOf(title),
    description: textOf(description),
    mimeType: textOf(mimeType),
    size,
  });
  const leftOutOf = (name: string, all: readonly unknown[]) =>
    all.length > maxListed ? { [`${name}LeftOut`]: all.length - maxListed } : {};
  return {
    resources: resources
      .slice(0, maxListed)
      .map((each) => ({ uri: redact(each.uri), ...factsOf(each) })),
    ...leftOutOf('resources', resources),
    resourceTemplates: templates
      .slice(0, maxListed)
      .map((each) => ({ uriTemplate: redact(each.uriTemplate), ...factsOf(each) })),
    ...leftOutOf('resourceTemplates', templates),
    prompts: prompts.slice(0, maxListed).map((each) => ({
      ...factsOf(each),
      arguments: each.arguments.map(({ name, title, description, isRequired }) => ({
        name: redact(name),
        title: textOf(title),
        description: textOf(description),
        required: isRequired,
      })),
    })),
    ...leftOutOf('prompts', prompts),
  };
}
