/**
 * `bun run wallet`: the public side of the wallet and the settings of its accounts;
 * support/wallet-seed.ts has its seed.
 */

import { keyFingerprints } from '../src/adapters/signer/key-fingerprints.ts';
import { openKeystore, readPublicKeys } from '../src/adapters/signer/keystore.ts';
import {
  type AccountKey,
  missingFamilies,
  type PublicKeys,
  type SingleKey,
} from '../src/adapters/signer/keystore-file.ts';
import { readMasterKey } from '../src/adapters/system/master-key.ts';
import type { TreasuryChain } from '../src/app/sweeps/sweep-needs.ts';
import { setUpWallet, type WalletSetup } from '../src/app/treasury/prepare-wallet.ts';
import { treasuryChains } from '../src/compose/treasury.ts';
import { readsPublicKeysOnly, walletDerivers } from '../src/compose/wallet/wallet.ts';
import type { Config } from '../src/config/types.ts';
import { hasWalletKey } from '../src/domain/catalog/family.ts';
import { shortFingerprint } from '../src/domain/chains/wallet-keys.ts';
import type { AddressPool } from '../src/ports/chains/address-pool.ts';
import { ChainUnavailable } from '../src/ports/chains/chain-scanner.ts';
import { Refused } from './support/failures.ts';
import {
  type Command,
  type CommandContext,
  type OfflineCommand,
  type Program,
  runProgram,
} from './support/program.ts';
import { facts } from './support/table.ts';
import { chainName, wholeNumber } from './support/values.ts';
import { replace } from './support/wallet-replace.ts';
import { exportSeed, importSeed } from './support/wallet-seed.ts';

const DEFAULT_COUNT = 3;
const COUNT_MAX = 10_000;

const show: OfflineCommand = {
  name: 'show',
  about:
    'Prints the public side of the wallet: public keys, fingerprints, derivation paths, the hot wallet and the first addresses of each family. Compare a backup with it. No private key is printed.',
  audits: [],
  positionals: [],
  options: { count: { value: 'N', help: `addresses per family (default ${DEFAULT_COUNT})` } },
  examples: ['', '--count 20 --json'],
  readOffline(args) {
    const count = args.read('count', wholeNumber(0, COUNT_MAX)) ?? DEFAULT_COUNT;
    return async (config) => {
      const keys = await checkedPublicKeys(config);
      const families = await familiesOf(config, keys, count);
      const missing = missingFamilies(keys);
      const shown = families.map(({ family, path, fingerprint, hot_wallet, addresses, ...key }) =>
        facts([
          ['family', family],
          ['fingerprint', fingerprint],
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

/**
 * The master key proves that the public part was not replaced. An API host may have none, and a
 * signer's own is elsewhere: then the public part is read unchecked.
 */
async function checkedPublicKeys(config: Config): Promise<PublicKeys> {
  const directory = config.dataDir;
  const unchecked = await readPublicKeys(directory);
  if (readsPublicKeysOnly(config)) return unchecked;
  const masterKey = Buffer.from(config.masterKey ?? readMasterKey(directory), 'hex');
  const keystore = await openKeystore({ directory, masterKey, createIfMissing: false });
  return keystore.publicKeys();
}

/**
 * Solana's deposit addresses need private keys and are stored in the database: here only its hot
 * wallet is shown.
 */
const NOT_HERE: AddressPool = { read: async () => [] };

async function familiesOf(config: Config, keys: PublicKeys, count: number) {
  const { derivers } = await walletDerivers(config, keys, () => NOT_HERE);
  const fingerprints = new Map(keyFingerprints(keys).map((key) => [key.family, key.fingerprint]));
  const shown = [];
  for (const [family, deriver] of derivers) {
    const key = hasWalletKey(family) ? keys[family] : undefined;
    if (key === undefined) continue;
    const [hotPath, pathOf] = pathsOf(key);
    const addresses = await deriver.derive({ from: 0, count });
    shown.push({
      family,
      path: key.path,
      fingerprint: shortFingerprint(fingerprints.get(family) ?? ''),
      ...('xpub' in key ? { xpub: key.xpub } : { public_key: key.publicKey }),
      hot_wallet: { path: hotPath, address: deriver.hotWallet() },
      addresses: addresses.map((address, index) => ({ index, path: pathOf(index), address })),
    });
  }
  return shown;
}

/**
 * The derivation paths of the hot wallet and of a deposit address. Addresses of one key differ by a
 * number.
 */
function pathsOf(key: AccountKey | SingleKey): readonly [hot: string, deposit: (index: number) => string] {
  const { path } = key;
  if ('xpub' in key) return [`${path}/1/0`, (index) => `${path}/0/${index}`];
  return [path, (index) => `${path} #${index}`];
}

const WHAT_CAME_OF_IT: Readonly<Record<WalletSetup, string>> = {
  nothing_to_set: 'nothing to set',
  not_funded: 'the account is not funded yet: send it more than the reserve, then come back',
  is_set: 'is set: the account requires a destination tag',
  on_its_way: 'ordered before: a running worker sends it',
  ordered: 'ordered: a running worker has a transaction signed that requires a destination tag, and sends it',
};

const setup: Command = {
  name: 'setup',
  about:
    'Sets what the account of a hot wallet needs. Only XRP has something to set: its ledger then refuses payments without a destination tag (RequireDest). The command orders a transaction that moves nothing; a running worker has it signed and sends it. Repeating it is harmless.',
  audits: ['wallet.setup_ordered'],
  positionals: [],
  options: { chain: { value: 'CHAIN', help: 'only this chain (default: all that have a node)' } },
  examples: ['', '--chain xrp --json'],
  read(args) {
    const wanted = args.read('chain', chainName);
    return async (context) => {
      const { chains, dependencies } = context.service;
      const known = treasuryChains(chains, dependencies);
      if (wanted !== null && !known.has(wanted))
        throw new Refused({ code: 'NOT_FOUND', message: `${wanted} has no node here` });
      const wallets = [];
      for (const [chain, on] of known) {
        if (wanted !== null && chain !== wanted) continue;
        wallets.push({ chain, hot_wallet: on.deriver.hotWallet(), result: await resultOf(context, on) });
      }
      const text = wallets.map(({ chain, hot_wallet, result }) => {
        const what = result === 'no_node_answers' ? 'no node answers' : WHAT_CAME_OF_IT[result];
        return `${chain}, hot wallet ${hot_wallet}: ${what}`;
      });
      const exitCode = wallets.some(({ result }) => result === 'no_node_answers') ? 1 : 0;
      return { json: { wallets }, text: text.join('\n') || 'no chain has a node here', exitCode };
    };
  },
};

/** A chain without a working node does not hide the others. */
async function resultOf(
  { act }: CommandContext,
  on: TreasuryChain,
): Promise<WalletSetup | 'no_node_answers'> {
  try {
    return await act({ action: 'wallet.setup_ordered', subject: 'wallet' }, (deps) => setUpWallet(deps, on), {
      subjectOf: (result) => (result === 'ordered' ? on.chain : null),
    });
  } catch (error) {
    if (error instanceof ChainUnavailable) return 'no_node_answers';
    throw error;
  }
}

export const program: Program = {
  name: 'wallet',
  about: 'The wallet: its public side, the settings of its accounts, and its seed.',
  commands: [show, setup, exportSeed, importSeed, replace],
};

if (import.meta.main) await runProgram(program);
