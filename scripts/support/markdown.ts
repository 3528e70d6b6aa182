/** Tables of the generated pages. */

export function head(columns: readonly string[]): readonly string[] {
  return [row(columns), row(columns.map(() => '---'))];
}

export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Without its full stop. */
export function firstSentence(text: string): string {
  return text.split(/\.(?: (?=[A-Z`])|$)/)[0] ?? text;
}

/** Lines of at most `width` characters, broken at spaces. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
