import type { Look } from './look';

export interface Row {
  readonly name: string;
  readonly version: string;
  /** One for each client, ours first; empty where it could not be installed. */
  readonly looks: readonly Look[];
  readonly installError?: string;
}

const heading = ['server', '', 'started', 'tools', 'unusable', 'call', 'ms', 'left over'];

/** As Markdown: a line for each client of each server. */
export function toTable(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ name, version, looks, installError }) => {
    const server = `${name} ${version}`;
    if (installError !== undefined) return [[server, '', `not installed: ${cell(installError)}`]];
    return looks.map((look, index) => [index === 0 ? server : '', look.client, ...cells(look)]);
  });
  const rule = heading.map(() => '---');
  const all = [heading, rule, ...lines];
  return all.map((one) => `| ${heading.map((_, at) => one[at] ?? '').join(' | ')} |`).join('\n');
}

function cells({ started, error, tools, unusable, call, ms, leftOver }: Look): readonly string[] {
  return [
    started ? (error === undefined ? 'yes' : `yes, then: ${cell(error)}`) : `no: ${cell(error)}`,
    String(tools ?? '–'),
    String(unusable ?? '–'),
    call === undefined ? '–' : `${cell(call.tool)}: ${call.outcome}`,
    String(ms ?? '–'),
    String(leftOver ?? '?'),
  ];
}

/** What came from elsewhere, in one cell. */
function cell(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 100);
}

/** Where another client does what ours does not, and what ours left running. */
export function shortcomings(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ name, looks }) => {
    const [us, ...others] = looks;
    if (us === undefined) return [];
    const most = Math.max(0, ...others.map(({ tools = 0 }) => tools));
    const usable = (us.tools ?? 0) - (us.unusable ?? 0);
    const isAnswered = ({ call }: Look) => call?.outcome === 'result';
    const said = [
      // One that ends before it has told of its tools works nowhere.
      ...(!us.started && others.some(({ tools }) => tools !== undefined) ? ['does not start'] : []),
      ...(us.started && usable < most ? [`${usable} usable tools of ${most}`] : []),
      ...(!isAnswered(us) && others.length > 0 && others.every(isAnswered) ? ['no result'] : []),
      ...((us.leftOver ?? 0) > 0 ? [`left ${us.leftOver} processes`] : []),
    ];
    return said.map((one) => `${name}: ${one}`);
  });
}

/** In how much of the time of each other client ours has the tools: the median. */
export function ratios(rows: readonly Row[]): string {
  const said = ['SDK 1', 'SDK 2'].map((client) => {
    const all = rows.flatMap(({ looks }) => {
      const ours = looks.find((look) => look.client === 'us')?.ms;
      const theirs = looks.find((look) => look.client === client)?.ms;
      return ours === undefined || theirs === undefined ? [] : [ours / theirs];
    });
    const median = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
    return `${client} ${median === undefined ? '?' : median.toFixed(2)} (${all.length} servers)`;
  });
  return `Time until the tools are there, ours to theirs, median: ${said.join(', ')}`;
}
