/** `bun run restore`: prepares a restored backup before the service starts on it. */
import { systemClock } from '../src/adapters/system/system-clock.ts';
import { placeOf } from '../src/compose/place.ts';
import type { Restoration, SignerLogVerdict } from '../src/compose/restore.ts';
import { appError } from '../src/domain/errors.ts';
import { withDatabaseAlone } from './support/database-only.ts';
import { Refused } from './support/failures.ts';
import { type CommandReport, type OfflineCommand, type Program, runProgram } from './support/program.ts';
import { wholeNumber } from './support/values.ts';

/**
 * The wallets of Solana, TON and Monero must derive every address below the next index: a million
 * more takes Monero hours.
 */
const DEFAULT_SKIP = 100_000;
const SKIP_MAX = 1_000_000_000;

const command: OfflineCommand = {
  name: null,
  about:
    'Prepares a restored database for its start: run it once after an older backup was put back, with the service stopped. It skips addresses that may have been given out since. It holds every pending payout, which may have been paid since. It says whether wallet, signer.log and books fit. Repeating it is harmless. Exit code 1 where something does not fit.',
  audits: ['database.restored'],
  positionals: [],
  options: {
    'skip-addresses': {
      value: 'N',
      help: `how many addresses of each family all hosts may have given out since the backup, at most (default ${DEFAULT_SKIP})`,
    },
  },
  examples: ['', '--skip-addresses 5000000 --json'],
  readOffline(args) {
    const skip = args.read('skip-addresses', wholeNumber(0, SKIP_MAX)) ?? DEFAULT_SKIP;
    return (config, { by }) =>
      withDatabaseAlone(config, async (database) => {
        const { operatorsLogger } = await import('./support/operators-logger.ts');
        const { restore } = await import('../src/compose/restore.ts');
        const parts = { clock: systemClock, logger: operatorsLogger(config), skip };
        const outcome = await restore(config, database, parts);
        const where = placeOf(config).database;
        switch (outcome.kind) {
          case 'in_use':
            throw refused(`${where} is in use (${outcome.sessions} sessions): stop the service first`);
          case 'unused':
            throw refused(`${where} was never used: put the backup back first`);
          case 'restored':
            await by(database).record(
              { action: 'database.restored', subject: 'database' },
              { after: { held_payouts: outcome.held.length, faults: outcome.faults } },
            );
            return report(where, outcome);
        }
      });
  },
};

const refused = (why: string): Refused => new Refused(appError('INVALID_TRANSITION', why));

function report(where: string, done: Extract<Restoration, { kind: 'restored' }>): CommandReport {
  const raised = [...done.indexes].filter(([, { from, to }]) => to > from);
  const log = aboutLog(done.signerLog);
  const text = [
    `${where}: what was done`,
    'Wallet: it is that of the database.',
    raised.length === 0
      ? 'Addresses: enough were skipped before.'
      : `Addresses, the next index: ${raised.map(([family, { from, to }]) => `${family} ${to} (was ${from})`).join(', ')}.`,
    done.held.length === 0
      ? 'Payouts: none is pending that is not held.'
      : `Payouts: ${done.held.length} that are pending are held, since they may have been paid.`,
    log.text,
    done.faults === 0
      ? 'Books: they agree.'
      : `Books: ${done.faults} faults, see bun run reconcile --books-only. Do not start on them without knowing why.`,
    'Now start the service. When it has read the chains up to now (a day of blocks takes minutes): bun run payouts list --held shows the payouts beside what the hot wallets sent since. Then paid, release or cancel each, or release --restored COUNT if none was paid. And bun run reconcile.',
  ];
  return {
    json: {
      addresses: [...done.indexes].map(([family, { from, to }]) => ({ family, from, to })),
      held: done.held,
      signer_log: done.signerLog,
      faults: done.faults,
    },
    text: text.join('\n'),
    exitCode: log.fits && done.faults === 0 ? 0 : 1,
  };
}

const OLD =
  'signer.log: it lacks signatures that the database knows. Put the newest one in its place before the start: it is the last defence against paying twice.';

function aboutLog(verdict: SignerLogVerdict): { readonly text: string; readonly fits: boolean } {
  switch (verdict.kind) {
    case 'elsewhere':
      return { text: 'signer.log: not here. Where the keys are it must be the newest one.', fits: true };
    case 'missing':
      return { text: OLD, fits: false };
    case 'broken':
      return {
        text: `signer.log: line ${verdict.line} ${verdict.fault}. The signer will not start.`,
        fits: false,
      };
    case 'read':
      if (verdict.missing > 0) return { text: OLD, fits: false };
      return {
        text:
          verdict.unknown === 0
            ? `signer.log: ${verdict.signed} signatures, none that the database does not know. If anything was sent since the backup it is as old as the backup: put the newest one in its place, if you have it.`
            : `signer.log: ${verdict.signed} signatures, ${verdict.unknown} of them newer than the database: what they paid is not paid twice.`,
        fits: true,
      };
  }
}

export const program: Program = {
  name: 'restore',
  about: 'Prepares a restored backup, before the service starts on it.',
  commands: [command],
};

if (import.meta.main) await runProgram(program);
