/**
 * `bun run wallet replace`: gives a database another wallet, and deals with the addresses of the
 * former one.
 */
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { placeOf } from '../../src/compose/place.ts';
import { replaceWallet } from '../../src/compose/wallet/replace-wallet.ts';
import { appError } from '../../src/domain/errors.ts';
import { withDatabaseAlone } from './database-only.ts';
import { Refused, UsageError } from './failures.ts';
import type { OfflineCommand } from './program.ts';

const UNDERSTOOD = 'former-money-needs-the-former-seed';

/** Shown to the operator before and after. */
const CONSEQUENCES = [
  'Money of the former wallet moves with the former seed only, and not by this service.',
  'Payments to its addresses become unmatched deposits; on XRP those to the former account are not seen any more. Customers and merchants are shown new addresses.',
  'Balances stay. Payouts leave the new hot wallets, which are empty (bun run treasury topup). What the former ones held shows as a difference until you move it or book it out (bun run treasury book).',
  'Back up the new keystore.json and its master key before the first payment.',
];

export const replace: OfflineCommand = {
  name: 'replace',
  about: [
    'Gives the database another wallet: the one of keystore.json in DATA_DIR, or a new one where there is none. Use it for a wallet that is lost or must not be used any more: a backup of the right keystore.json is always better.',
    ...CONSEQUENCES,
    'Refused while the service runs. The Monero wallet of CONFIG_FILE is taken as well.',
  ].join(' '),
  audits: ['wallet.replaced'],
  positionals: [],
  options: {
    [UNDERSTOOD]: { required: true, help: 'confirms that you know what happens to the former wallet' },
    'new-master-key': {
      help: 'create a new DATA_DIR/master.key if it is lost too; rotate all API keys then',
    },
  },
  examples: [`--${UNDERSTOOD}`],
  readOffline(args) {
    if (!args.isSet(UNDERSTOOD)) throw new UsageError(`--${UNDERSTOOD} is needed`);
    const newMasterKey = args.isSet('new-master-key');
    return async (config, { by }) => {
      const outcome = await withDatabaseAlone(config, async (opened) => {
        const { walletKeys } = opened;
        const done = await replaceWallet(config, { walletKeys, clock: systemClock }, { newMasterKey });
        if (done.kind === 'replaced')
          await by(opened).record(
            { action: 'wallet.replaced', subject: 'wallet' },
            { after: { families: done.families, frozen_addresses: done.addresses } },
          );
        return done;
      });
      const { dataDir, database } = placeOf(config);
      if (outcome.kind === 'in_use')
        throw new Refused(
          appError(
            'INVALID_TRANSITION',
            `${database} is in use (${outcome.sessions} sessions): stop the service first`,
          ),
        );
      if (outcome.kind === 'nothing_to_replace')
        throw new Refused(
          appError(
            'INVALID_TRANSITION',
            `${database} belongs to the wallet of ${dataDir} already, or to none`,
          ),
        );
      const { kind: _, ...replaced } = outcome;
      const text = [
        `${database} belongs to the wallet of ${dataDir} now (${replaced.families.join(', ') || 'no address of another one was given out'}).`,
        `Frozen addresses of the former wallet: ${replaced.addresses}. Unsigned transfers that ended: ${replaced.unsigned}. Signed ones that may still be mined: ${replaced.signed}.`,
        ...CONSEQUENCES,
      ];
      return { json: replaced, text: text.join('\n') };
    };
  },
};
