/**
 * Input from the person who started the script, or from a pipe. Questions go to standard error:
 * standard output has the result.
 */

/** Whether a person can be asked. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** One typed line; empty when the terminal was closed. */
export async function askLine(question: string): Promise<string> {
  process.stderr.write(question);
  for await (const line of console) return line;
  return '';
}

/** The whole input of a pipe, or one typed line. */
export async function readSecret(question: string): Promise<string> {
  return hasTerminal() ? askLine(question) : Bun.stdin.text();
}
