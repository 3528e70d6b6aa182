/** Findings as lines for the terminal and as bench/results.md. */
import type { Finding, Latency, Spread, Target, Unit } from './finding.ts';
import { reached } from './finding.ts';
import type { MachineFact } from './machine.ts';

export interface ReportedRow {
  readonly name: string;
  readonly findings: readonly Finding[];
}

const DIGITS: Readonly<Record<Unit, number>> = { x: 2, s: 2, ms: 1, MB: 0, kB: 1, each: 2 };

export function findingLine(finding: Finding): string {
  const verdict = finding.target === null ? '      ' : reached(finding) ? 'ok    ' : 'MISSED';
  const target = finding.target === null ? '' : ` (${targetText(finding.target)})`;
  const timed =
    finding.latencies.length === 0
      ? ''
      : `; p50 ${timesText(finding, 'p50')}, p99 ${timesText(finding, 'p99')} ms`;
  return `${verdict} ${finding.what}: ${spreadText(finding)}${target}; ${finding.absolute}${timed}`;
}

export function markdown(
  rows: readonly ReportedRow[],
  failed: readonly string[],
  facts: readonly MachineFact[],
  method: string,
): string {
  const failures =
    failed.length === 0
      ? ''
      : `\nFailed, so not measured: ${failed.map((name) => `\`bun run bench ${name}\``).join(', ')}.\n`;
  return `# Bench

Written by \`bun run bench\`. ${method} Where two times stand in a cell, ours is the first. \`--write\` measures single rows again.

| what | target | measured [min - max] | in figures | p50, ms | p99, ms | command |
| --- | --- | --- | --- | --- | --- | --- |
${rows.flatMap(linesOf).join('\n')}
${failures}
Measured on:

${facts.map(({ name, value }) => `- ${name}: ${value}`).join('\n')}
`;
}

/** The file with these rows instead of their former ones; `order`: the names of all rows. */
export function withRows(text: string, rows: readonly ReportedRow[], order: readonly string[]): string {
  const lines = text.split('\n');
  const nameIn = (line: string) => /^\| .* \| `bun run bench ([a-z-]+)` \|$/.exec(line)?.[1];
  const first = lines.findIndex((line) => nameIn(line) !== undefined);
  const byRow = Map.groupBy(lines, nameIn);
  for (const row of rows) byRow.set(row.name, linesOf(row));
  const table = order.flatMap((name) => byRow.get(name) ?? []);
  const rest = (from: number, to?: number) =>
    lines.slice(from, to).filter((line) => nameIn(line) === undefined);
  return [...rest(0, first), ...table, ...rest(first)].join('\n');
}

function linesOf({ name, findings }: ReportedRow): string[] {
  return findings.map((finding) => {
    const cells = [
      finding.what,
      finding.target === null ? 'none' : targetText(finding.target),
      `${spreadText(finding)}${reached(finding) ? '' : ' **missed**'}`,
      finding.absolute,
      timesText(finding, 'p50'),
      timesText(finding, 'p99'),
      `\`bun run bench ${name}\``,
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

function targetText({ relation, value, unit }: Target): string {
  return `${relation} ${withUnit(value, unit)}`;
}

function spreadText({ measured, unit }: { measured: Spread; unit: Unit }): string {
  const figure = (value: number) => value.toFixed(DIGITS[unit]);
  return `${withUnit(measured.median, unit)} [${figure(measured.min)} - ${figure(measured.max)}]`;
}

function withUnit(value: number, unit: Unit): string {
  return unit === 'x' ? `${value.toFixed(2)} x` : `${value.toFixed(DIGITS[unit])} ${unit}`;
}

function timesText({ latencies }: Finding, percentile: keyof Latency): string {
  return latencies.map((latency) => milliseconds(latency[percentile])).join(' / ');
}

function milliseconds(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}
