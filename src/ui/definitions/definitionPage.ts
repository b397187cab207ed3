import * as l10n from '@vscode/l10n';
import { parameterCount, parametersOf, type Parameter } from '../../core/arguments/parameters';
import { WorkTurns } from '../../core/bounds/workTurns';
import { isJsonObject } from '../../core/json/shapes';
import { toolProblems } from '../../core/toolProblems';
import type { JsonObject } from '../../core/json/jsonValue';
import type { Tool } from '../../core/types';
import { visibleText } from '../../core/visibleText';
import type {
  DefinitionVerb,
  PageBody,
  PageButton,
  PageHead,
  PageNode,
} from '../../page/pageMessages';
import { type DrawnPart, pageTexts } from '../answerPage/answerContent';
import { markdownNodes, PartNodes, textNodes } from '../answerPage/markdownNodes';
import { formatRisk, hintLines, riskSentence } from '../format/formatRisk';
import { toolProblemSentence } from '../format/sentencesOfProblems';
import { toolNameText, toolTitle, appLines } from '../format/toolTitle';
import {
  callLines,
  schemaText,
  notRunning,
  pinSentence,
  sizeSentence,
  taskLines,
  type DefinitionFacts,
} from './definitionText';

/** The definition of a tool, as the page of answers shows it. */
export interface DefinitionPage {
  readonly head: PageHead;
  readonly parts: readonly DrawnPart[];
}

const maxLineChars = 300;
const maxTextChars = 100_000;
const maxCellChars = 2_000;
const maxProblems = 20;

const line = (foreign: string): string => visibleText(foreign, maxLineChars);

/** Returns the same facts as the text of a definition, for the page. */
export async function definitionPage(facts: DefinitionFacts): Promise<DefinitionPage> {
  const { tool, risk } = facts.entry;
  const turns = new WorkTurns();
  const parts = new Parts();
  const into = new PartNodes();
  const description = tool.description ?? l10n.t('The server provides no description.');
  const nodes = await markdownNodes(description.slice(0, maxTextChars), into, () =>
    turns.giveWay(),
  );
  const isCut = into.isFull || description.length > maxTextChars;
  const notes = [
    ...(isCut ? [beginningSentence()] : []),
    ...(facts.listedAt === undefined ? [] : [notRunning(facts.listedAt)]),
    ...taskLines(tool),
    ...appLines(tool.app).map(line),
  ];
  parts.add(l10n.t('Description'), nodesBody(nodes), { notes, links: into.links });
  await parts.addTable(l10n.t('Parameters'), tool.inputSchema, turns);
  if (isJsonObject(tool.outputSchema) && parameterCount(tool.outputSchema) > 0) {
    await parts.addTable(l10n.t('Output'), tool.outputSchema, turns);
  }
  parts.add(l10n.t('Risk'), nodesBody([paragraph(riskSentence(risk)), hintTable(facts)]));
  parts.add(l10n.t('Calls'), { kind: 'lines', lines: callLines(facts.calls) });
  await parts.addJson(l10n.t('Input schema'), tool.inputSchema, turns);
  if (tool.outputSchema !== undefined) {
    await parts.addJson(l10n.t('Output schema'), tool.outputSchema, turns);
  }
  return { head: headOf(facts, parts.all.length), parts: parts.all };
}

function headOf(facts: DefinitionFacts, blockCount: number): PageHead {
  const { entry, serverLabel, pin } = facts;
  const { tool, risk } = entry;
  const name = toolNameText(tool);
  const isDisabled = entry.isDisabled === true;
  return {
    title: line(toolTitle(tool)) || l10n.t('(no name)'),
    isDocument: true,
    summary: [name, line(serverLabel), formatRisk(risk)].filter((part) => part !== '').join(' · '),
    details: [
      l10n.t('Tool “{0}” of server “{1}”', line(tool.name), line(serverLabel)),
      l10n.t('{0}: {1}', l10n.t('Accepted'), pinSentence(pin)),
      sizeSentence(tool),
    ],
    problems: [
      ...(isDisabled ? [l10n.t('You disabled this tool.')] : []),
      ...(pin.kind === 'known' ? [] : [pinSentence(pin)]),
      ...toolProblems(tool)
        .slice(0, maxProblems)
        .map((each) => line(toolProblemSentence(each))),
    ],
    buttons: buttonsOf(facts),
    blockCount,
    texts: pageTexts(),
  };
}

/** Offers what the row of the tool offers, with the call first. */
function buttonsOf({
  entry: { tool, isDisabled, taskChoice },
  pin,
  listedAt,
}: DefinitionFacts): readonly PageButton<DefinitionVerb>[] {
  const isCallable = tool.callable && isDisabled !== true;
  const isListed = isCallable && listedAt === undefined;
  const isNew = isListed && (pin.kind === 'new' || pin.kind === 'changed');
  const hasChoice = isListed && !isNew;
  const all: readonly (readonly [verb: DefinitionVerb, label: string, isThere: boolean])[] = [
    ['call', l10n.t('Call Tool'), isCallable],
    ['enable', l10n.t('Enable Tool'), isDisabled === true],
    ['showChanges', l10n.t('Show What Changed'), isNew],
    ['acceptChanges', l10n.t('Accept Tool Changes…'), isNew],
    ['openApp', l10n.t('Open App Page'), tool.app?.resourceUri !== undefined],
    ['setRisk', l10n.t('Set Risk…'), isListed],
    ['setForAgents', l10n.t('For Agents…'), isListed],
    ['runAsTask', l10n.t('Run as Task'), hasChoice && taskChoice === 'direct'],
    ['runDirectly', l10n.t('Run Directly'), hasChoice && taskChoice === 'task'],
    ['disable', l10n.t('Disable Tool'), isListed],
    ['copyName', l10n.t('Copy Tool Name'), tool.name !== ''],
    ['text', l10n.t('Show as Text'), true],
  ];
  return all.flatMap(([verb, label, isThere]) => (isThere ? [{ verb, label }] : []));
}

/** The sections of the page, which are numbered from 0. */
class Parts {
  readonly all: DrawnPart[] = [];

  add(
    title: string,
    body: PageBody,
    { notes = [], links = [], isFolded = false }: PartOptions = {},
  ): void {
    const number = this.all.length;
    const block = { number, title, facts: '', notes, buttons: [], body, isError: false, isFolded };
    this.all.push({ block, links });
  }

  /** Adds the properties that a schema names, as a table. */
  async addTable(title: string, schema: JsonObject, turns: WorkTurns): Promise<void> {
    const into = new PartNodes();
    const parameters = parametersOf(schema);
    const table = await parameterTable(parameters, into, turns);
    if (table === undefined) {
      return this.add(title, { kind: 'lines', lines: [l10n.t('The schema has no parameters.')] });
    }
    const left = parameterCount(schema) - parameters.length;
    const notes = left > 0 ? [l10n.t('More parameters in the schema: {0}.', left)] : [];
    this.add(title, nodesBody([table]), { notes, links: into.links });
  }

  async addJson(title: string, schema: Tool['outputSchema'], turns: WorkTurns): Promise<void> {
    const into = new PartNodes();
    const text = schemaText(schema);
    const children = await textNodes(text.slice(0, maxTextChars), into, () => turns.giveWay());
    const notes = text.length > maxTextChars || into.isFull ? [beginningSentence()] : [];
    const body: PageBody = { kind: 'nodes', nodes: [{ tag: 'pre', children }], isCode: true };
    this.add(title, body, { notes, links: into.links, isFolded: true });
  }
}

function beginningSentence(): string {
  return l10n.t('This is the beginning. Show it as text to see more.');
}

interface PartOptions {
  readonly notes?: readonly string[];
  readonly links?: readonly string[];
  readonly isFolded?: boolean;
}

function nodesBody(nodes: readonly PageNode[]): PageBody {
  return { kind: 'nodes', nodes, isCode: false };
}

function paragraph(text: string): PageNode {
  return { tag: 'p', children: [text] };
}

/**
 * Returns one row for each property, without columns that would be empty. Other tasks get a turn
 * between rows, because a server chooses their texts.
 */
async function parameterTable(
  parameters: readonly Parameter[],
  into: PartNodes,
  turns: WorkTurns,
): Promise<PageNode | undefined> {
  const headings = [
    l10n.t('Name'),
    l10n.t('Type'),
    l10n.t('Required'),
    l10n.t('Description'),
    l10n.t('Default'),
    l10n.t('Limits'),
  ];
  const columns = headings.map((heading) => ({ heading, cells: [] as (readonly PageNode[])[] }));
  const cell = (text = '') => into.plain(text.slice(0, maxCellChars));
  for (const parameter of parameters) {
    const { name, type, isRequired, limits, description = '' } = parameter;
    const row = [
      cell(name),
      code(cell(type)),
      isRequired ? [l10n.t('yes')] : [],
      into.text(description.slice(0, maxCellChars)),
      code(cell(parameter.default)),
      cell(limits),
    ];
    for (const [place, nodes] of row.entries()) columns[place]?.cells.push(nodes);
    await turns.giveWay();
  }
  const used = columns.filter(({ cells }) => cells.some((nodes) => nodes.length > 0));
  return used.length === 0 ? undefined : tableOf(used);
}

function code(children: readonly PageNode[]): readonly PageNode[] {
  return children.length === 0 ? [] : [{ tag: 'code', children }];
}

interface Column {
  readonly heading: string;
  readonly cells: readonly (readonly PageNode[])[];
}

function tableOf(columns: readonly Column[]): PageNode {
  const head = columns.map(({ heading }) => ({ tag: 'th', children: [heading] }));
  const rows = (columns[0]?.cells ?? []).map((_, row) => ({
    tag: 'tr',
    children: columns.map(({ heading, cells }, place) => ({
      tag: 'td',
      children: cells[row] ?? [],
      // The first cell names its row.
      ...(place === 0 ? {} : { label: l10n.t('{0}: {1}', heading, '') }),
    })),
  }));
  return {
    tag: 'table',
    children: [
      { tag: 'thead', children: [{ tag: 'tr', children: head }] },
      { tag: 'tbody', children: rows },
    ],
  };
}

/** The hints as they count, and what the server declares where the user has set another risk. */
function hintTable({ entry: { risk, tool } }: DefinitionFacts): PageNode {
  const hints = hintLines(risk);
  const isOverridden = Object.values(risk.hints).some(({ basis }) => basis === 'overridden');
  const declared = new Map<string, unknown>(Object.entries(tool.annotations));
  const formatDeclared = (hint: string): string => {
    const value = declared.get(hint);
    if (typeof value !== 'boolean') return l10n.t('(not declared)');
    return value ? l10n.t('yes') : l10n.t('no');
  };
  return tableOf([
    { heading: l10n.t('Hint'), cells: hints.map(({ hint }) => [line(hint)]) },
    { heading: l10n.t('Value'), cells: hints.map(({ text }) => [line(text)]) },
    ...(isOverridden
      ? [
          {
            heading: l10n.t('Declared by the server'),
            cells: hints.map(({ hint }) => [formatDeclared(hint)]),
          },
        ]
      : []),
  ]);
}
