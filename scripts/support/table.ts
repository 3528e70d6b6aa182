/**
 * Aligned columns for a terminal. Cells are made safe to print: text from a chain or a risk
 * provider may have escape codes.
 */

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  cell(row: Row): string;
}

/** The rows under their titles, or `empty` when there are none. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { empty }: { empty: string },
): string {
  if (rows.length === 0) return empty;
  const cells = [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((column) => printable(column.cell(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => {
          const width = widths[index] ?? 0;
          return columns[index]?.align === 'right' ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `name  value` lines, aligned. */
export function facts(lines: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join('\n');
}

export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}

/** ISO-8601 in UTC, to the second. */
export function shownTime(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}
