/**
 * `bun run wallet export` and `import`: the seed words, out of keystore.json and into one. They
 * appear in no log and on no command line.
 */

import { keyFingerprints } from '../../src/adapters/signer/key-fingerprints.ts';
import { openKeystore } from '../../src/adapters/signer/keystore.ts';
import { readMnemonic } from '../../src/adapters/signer/mnemonic.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { importWallet } from '../../src/compose/wallet/import-wallet.ts';
import { masterKeyOf } from '../../src/compose/wallet/open-wallet.ts';
import { shortFingerprint } from '../../src/domain/chains/wallet-keys.ts';
import { appError } from '../../src/domain/errors.ts';
import { withDatabase } from './database-only.ts';
import { Refused, UsageError } from './failures.ts';
import type { OfflineCommand } from './program.ts';
import { askLine, hasTerminal, readSecret } from './terminal.ts';

const CONFIRMATION = 'show the seed';

export const exportSeed: OfflineCommand = {
  name: 'export',
  about:
    'Shows the seed words of the wallet. They give access to all its money, for ever: keep them away from shared screens, files and chats. Asks for a typed confirmation.',
  audits: [],
  positionals: [],
  options: { 'yes-show-the-seed': { help: 'instead of the typed confirmation, where there is no terminal' } },
  examples: ['', '--yes-show-the-seed --json'],
  readOffline(args) {
    const confirmed = args.isSet('yes-show-the-seed');
    return async (config) => {
      const masterKey = masterKeyOf(config, { mayMake: false });
      const keystore = await openKeystore({ directory: config.dataDir, masterKey, createIfMissing: false });
      if (!confirmed) await confirm();
      console.error(
        'The seed words follow on standard output. Write them on paper; keep them away from this machine.',
      );
      const words = await keystore.mnemonic();
      return { json: { words: words.split(' ') }, text: words };
    };
  },
};

async function confirm(): Promise<void> {
  if (!hasTerminal()) throw new UsageError('needs a terminal to confirm at, or --yes-show-the-seed');
  const typed = await askLine(
    `The seed words give access to all the money of this wallet. Type "${CONFIRMATION}" to see them: `,
  );
  if (typed.trim() !== CONFIRMATION)
    throw new Refused(appError('INVALID_TRANSITION', 'not confirmed: nothing was shown'));
}

export const importSeed: OfflineCommand = {
  name: 'import',
  about:
    'Creates keystore.json in DATA_DIR from seed words, read from standard input (BIP-39, 12 to 24 words). Refused where a keystore.json exists, and where the database belongs to another wallet.',
  audits: ['wallet.imported'],
  positionals: [],
  options: {
    'new-master-key': {
      help: 'create a new DATA_DIR/master.key if it is lost too; rotate all API keys then',
    },
  },
  examples: ['< words.txt', '--new-master-key < words.txt'],
  readOffline(args) {
    const newMasterKey = args.isSet('new-master-key');
    return async (config, { by }) => {
      const read = await readMnemonic(
        await readSecret('The seed words, on one line (they will be seen here): '),
      );
      if (!read.ok) throw new Refused(appError('VALIDATION_ERROR', `the words ${read.fault}`));
      const { words } = read;
      const keys = await withDatabase(config, async (database) => {
        const { walletKeys } = database;
        const made = await importWallet(config, { walletKeys, clock: systemClock }, { words, newMasterKey });
        await by(database).record({ action: 'wallet.imported', subject: 'wallet' });
        return made;
      });
      const fingerprints = keyFingerprints(keys).map(({ family, fingerprint }) => ({
        family,
        fingerprint: shortFingerprint(fingerprint),
      }));
      const told = fingerprints.map(({ family, fingerprint }) => `${family}: ${fingerprint}`).join(', ');
      return {
        json: { keystore: `${config.dataDir}/keystore.json`, fingerprints },
        text: `made ${config.dataDir}/keystore.json (${told}). Start the service, and check with: bun run wallet show`,
      };
    };
  },
};
