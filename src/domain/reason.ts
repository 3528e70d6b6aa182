/** Why something is as it is. Programs, queries and constraints go by the code; the text is for people, and nothing compares it. */

export interface Reason<Code extends string> {
  readonly code: Code;
  readonly text: string;
}

/** Whether nothing new is to be written: the code is the same, and so are the words, which may have got more exact. */
export function isSame(a: Reason<string> | null, b: Reason<string>): boolean {
  return a !== null && a.code === b.code && a.text === b.text;
}

/** Makes reasons of a table of codes, with the table's words unless others say more. */
export function reasonsFrom<Code extends string>(table: Readonly<Record<Code, string>>) {
  return (code: Code, text: string = table[code]): Reason<Code> => ({ code, text });
}
