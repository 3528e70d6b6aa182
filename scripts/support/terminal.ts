/** What a script hears from the person who started it, or from a pipe. Questions go to standard error: standard output is the answer. */

/** Whether a person can be asked. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** One line that is typed; empty when the terminal was closed. */
export async function askLine(question: string): Promise<string> {
  process.stderr.write(question);
  for await (const line of console) return line;
  return '';
}

/** All of a pipe, or one line that is typed. */
export async function readSecret(question: string): Promise<string> {
  return hasTerminal() ? askLine(question) : Bun.stdin.text();
}
