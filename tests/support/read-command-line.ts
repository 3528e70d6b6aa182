/**
 * The command line of a developers' program, treated as operators' scripts treat theirs: `--help` prints the help and ends with 0;
 * what `read` refuses is told in one line and ends with 2, before anything is begun.
 */
import { firstSentence } from '../../scripts/support/arguments.ts';

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
