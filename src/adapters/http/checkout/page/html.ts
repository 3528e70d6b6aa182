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
  let text = '';
  parts.forEach((part, index) => {
    text += part + written(inserts[index] ?? null);
  });
  return new Markup(text);
}

function written(insert: Insert): string {
  if (insert === null) return '';
  if (insert instanceof Markup) return insert.text;
  if (typeof insert === 'string') return insert.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return insert.map((item) => item.text).join('');
}
