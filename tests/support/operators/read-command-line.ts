/**
 * The command line of a developers' program, treated as operators' scripts treat theirs: `--help`
 * prints the help and ends with 0; what `read` refuses is told in one line and ends with 2, before
 * anything is begun.
 */
import { parseArgs } from 'node:util';
import { firstSentence, named } from '../../../scripts/support/arguments.ts';
import { wholeNumber } from '../../../scripts/support/values.ts';

export function readCommandLine<Read>(help: string, read: () => Read): Read {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(help);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    console.error(`${firstSentence((error as Error).message)} (--help tells more)`);
    process.exit(2);
  }
}

/** A command line of nothing but options with numbers: as given, or what each is unless given. */
export function readNumbers<Name extends string>(
  help: string,
  usual: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  return readCommandLine(help, () => {
    const names = Object.keys(usual) as Name[];
    const { values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const)),
    });
    const read = wholeNumber(1, 1_000_000);
    const numbers = names.map((name) => {
      const text = values[name];
      return [name, text === undefined ? usual[name] : named(`--${name}`, () => read(`${text}`))] as const;
    });
    return Object.fromEntries(numbers) as Record<Name, number>;
  });
}
