/** `bun run wallet`: the public side of the wallet. No private key is printed here, and no database is needed. */
import { loadOrMakeMasterKey } from '../src/adapters/system/master-key.ts';
import { openKeystore, readPublicKeys } from '../src/adapters/vault/keystore.ts';
import {
  type AccountKey,
  missingFamilies,
  type PublicKeys,
  type SingleKey,
} from '../src/adapters/vault/keystore-file.ts';
import { readsPublicKeysOnly, walletDerivers } from '../src/compose/wallet.ts';
import type { Config } from '../src/config.ts';
import { type OfflineCommand, runProgram } from './support/program.ts';
import { facts } from './support/table.ts';
import { wholeNumber } from './support/values.ts';

const DEFAULT_COUNT = 3;
const COUNT_MAX = 10_000;

const show: OfflineCommand = {
  name: 'show',
  about:
    'Prints the public keys, their derivation paths, the hot wallet and the first addresses of each family, for checking a backup or another wallet against. Never a private key.',
  positionals: [],
  options: { count: { value: 'N', help: `addresses per family (default ${DEFAULT_COUNT})` } },
  examples: ['', '--count 20 --json'],
  readOffline(args) {
    const count = args.read('count', wholeNumber(0, COUNT_MAX)) ?? DEFAULT_COUNT;
    return async (config) => {
      const keys = await checkedPublicKeys(config);
      const families = await familiesOf(config, keys, count);
      const missing = missingFamilies(keys);
      const shown = families.map(({ family, path, hot_wallet, addresses, ...key }) =>
        facts([
          ['family', family],
          ['path', path],
          'xpub' in key ? ['xpub', key.xpub] : ['public key', key.public_key],
          ['hot wallet', `${hot_wallet.address}  (${hot_wallet.path})`],
          ...addresses.map((entry) => [entry.path, entry.address] as const),
        ]),
      );
      const lacking =
        missing.length === 0
          ? []
          : [
              `This keystore.json has no public keys of: ${missing.join(', ')}. Take the file of the host that signs, after one start there.`,
            ];
      return { json: { families, missing }, text: [...shown, ...lacking].join('\n\n') };
    };
  },
};

/** The master key proves that nobody replaced the public part. An API host may have none, and a signer's own is not here: there it is read as it is. */
async function checkedPublicKeys(config: Config): Promise<PublicKeys> {
  const directory = config.dataDir;
  const unchecked = await readPublicKeys(directory);
  if (readsPublicKeysOnly(config)) return unchecked;
  const masterKey = Buffer.from(config.masterKey ?? loadOrMakeMasterKey(directory), 'hex');
  const keystore = await openKeystore({ directory, masterKey, createIfMissing: false });
  return keystore.publicKeys();
}

async function familiesOf(config: Config, keys: PublicKeys, count: number) {
  const { derivers } = await walletDerivers(config, keys);
  const shown = [];
  for (const [family, deriver] of derivers) {
    const key = keys[family];
    if (key === undefined) continue;
    const [hotPath, pathOf] = pathsOf(key);
    const addresses = await deriver.derive({ from: 0, count });
    shown.push({
      family,
      path: key.path,
      ...('xpub' in key ? { xpub: key.xpub } : { public_key: key.publicKey }),
      hot_wallet: { path: hotPath, address: deriver.hotWallet() },
      addresses: addresses.map((address, index) => ({ index, path: pathOf(index), address })),
    });
  }
  return shown;
}

/** Where in the wallet the hot wallet and the deposit address of an index are. Addresses of one key differ by a number. */
function pathsOf(key: AccountKey | SingleKey): readonly [hot: string, deposit: (index: number) => string] {
  const { path } = key;
  if ('xpub' in key) return [`${path}/1/0`, (index) => `${path}/0/${index}`];
  return [path, (index) => `${path} #${index}`];
}

await runProgram({
  name: 'wallet',
  about: 'The public side of the wallet.',
  commands: [show],
});
