/** `bun run wallet`: the public side of the wallet. No private key is printed here, and no database is needed. */
import { evmDeriver } from '../src/adapters/chains/evm/deriver.ts';
import { loadOrMakeMasterKey } from '../src/adapters/system/master-key.ts';
import { openKeystore, readPublicKeys } from '../src/adapters/vault/keystore.ts';
import type { PublicKeys } from '../src/adapters/vault/keystore-file.ts';
import type { Config } from '../src/config.ts';
import { type OfflineCommand, runProgram } from './support/program.ts';
import { facts } from './support/table.ts';
import { wholeNumber } from './support/values.ts';

const DEFAULT_COUNT = 3;
const COUNT_MAX = 10_000;

const show: OfflineCommand = {
  name: 'show',
  about:
    'Prints the public keys, their derivation paths and the first addresses of each family, for checking a backup or another wallet against. Never a private key.',
  positionals: [],
  options: { count: { value: 'N', help: `addresses per family (default ${DEFAULT_COUNT})` } },
  examples: ['', '--count 20 --json'],
  readOffline(args) {
    const count = args.read('count', wholeNumber(0, COUNT_MAX)) ?? DEFAULT_COUNT;
    return async (config) => {
      const families = familiesOf(await checkedPublicKeys(config), count);
      return {
        json: { families },
        text: families
          .map(({ family, path, xpub, addresses }) =>
            facts([
              ['family', family],
              ['account path', path],
              ['xpub', xpub],
              ...addresses.map((entry) => [entry.path, entry.address] as const),
            ]),
          )
          .join('\n\n'),
      };
    };
  },
};

/** The master key proves that nobody replaced the public part. An API host may have none, and a signer's own is not here: there it is read as it is. */
async function checkedPublicKeys(config: Config): Promise<PublicKeys> {
  const directory = config.dataDir;
  const unchecked = await readPublicKeys(directory);
  if (config.role === 'api' || config.signer.socket !== null) return unchecked;
  const masterKey = Buffer.from(config.masterKey ?? loadOrMakeMasterKey(directory), 'hex');
  const keystore = await openKeystore({ directory, masterKey, createIfMissing: false });
  return keystore.publicKeys();
}

function familiesOf({ evm }: PublicKeys, count: number) {
  const addresses = count === 0 ? [] : evmDeriver({ accountXpub: evm.xpub }).derive({ from: 0, count });
  return [
    {
      family: 'evm',
      path: evm.path,
      xpub: evm.xpub,
      addresses: addresses.map((address, index) => ({ index, path: `${evm.path}/0/${index}`, address })),
    },
  ];
}

await runProgram({
  name: 'wallet',
  about: 'The public side of the wallet.',
  commands: [show],
});
