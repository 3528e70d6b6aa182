const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The text between tags of HTML, or in a message of Slack. Not for attributes: quotes stay. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');
}
