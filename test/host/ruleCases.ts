import { riskOf, type RiskLevel } from '../../src/core/risk';
import type { CallFacts } from '../../src/host/consent/facts/callFacts';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import type { RuleSources } from '../../src/host/consent/rules/rule';
import { placeInWorkspace } from '../../src/host/consent/rules/workspacePaths';

const annotations = {
  readOnly: { readOnlyHint: true },
  additive: { readOnlyHint: false, destructiveHint: false },
  destructive: { destructiveHint: true },
} as const;

/** A call of a tool that declares the level. */
export function factsOf(
  given: Readonly<Record<string, unknown>> = {},
  on: { server?: string; tool?: string; level?: RiskLevel; cwd?: string } = {},
): CallFacts {
  const { server = 'files', tool = 'read_file', level = 'readOnly', cwd = '' } = on;
  const transport = { kind: 'stdio', command: 'x', args: [], env: {} } as const;
  return {
    config: {
      id: server,
      label: server,
      source: { kind: 'setting' },
      transport: cwd === '' ? transport : { ...transport, cwd },
    },
    entry: {
      serverId: server,
      tool: {
        name: tool,
        inputSchema: { type: 'object' },
        annotations: annotations[level],
        callable: true,
        problems: [],
      },
      risk: riskOf(annotations[level]),
    },
    arguments: given,
    origin: 'palette',
  };
}

export function bookOf(sources: Partial<RuleSources>, folders: readonly string[] = []): RuleBook {
  const book = new RuleBook({ placeOfPath: (path, cwd) => placeInWorkspace(path, folders, cwd) });
  book.setRules({ user: undefined, workspace: undefined, folders: [], ...sources });
  return book;
}

/** The effects of the rules of these user settings that apply, in their order. */
export async function effectsOf(
  user: unknown,
  facts: CallFacts,
  folders: readonly string[] = [],
): Promise<string> {
  const matches = await bookOf({ user }, folders).matching(facts);
  return matches.map(({ effect }) => effect).join(' ');
}
