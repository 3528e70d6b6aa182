/** A reason: a code for programs, queries and constraints, and a text for people. */

export interface Reason<Code extends string> {
  readonly code: Code;
  readonly text: string;
}

/** Whether code and text are the same, so that nothing needs to be written. */
export function isSame(a: Reason<string> | null, b: Reason<string>): boolean {
  return a !== null && a.code === b.code && a.text === b.text;
}

/** Makes reasons from a table of codes, with the table's text unless another is given. */
export function reasonsFrom<Code extends string>(table: Readonly<Record<Code, string>>) {
  return (code: Code, text: string = table[code]): Reason<Code> => ({ code, text });
}
