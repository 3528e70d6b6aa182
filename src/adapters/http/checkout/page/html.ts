/** HTML templates that escape every inserted text. Only Markup is inserted as it is. */

export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Markup | string | null | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag. Strings are escaped for text and for quoted attributes. Null inserts nothing. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Markup {
  let text = parts[0] ?? '';
  for (let index = 0; index < inserts.length; index++) {
    text += written(inserts[index] ?? null) + (parts[index + 1] ?? '');
  }
  return new Markup(text);
}

function written(insert: Insert): string {
  if (insert === null) return '';
  if (insert instanceof Markup) return insert.text;
  if (typeof insert === 'string') return escaped(insert);
  let text = '';
  for (const item of insert) text += item.text;
  return text;
}

/** Most texts have nothing to escape, and looking costs less than replacing nothing. */
function escaped(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '') : text;
}
