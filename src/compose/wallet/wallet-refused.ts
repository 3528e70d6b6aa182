/**
 * Why a start stops before it touches a wallet: the fault, what to restore and where, and how to
 * check it first.
 */
import { type Family, hasWalletKey, WALLET_FAMILIES } from '../../domain/catalog/family.ts';
import { type DifferingKey, type KeyFingerprint, shortFingerprint } from '../../domain/chains/wallet-keys.ts';
import type { DataPlace } from '../place.ts';

export type WalletFault =
  | 'keystore_lost'
  | 'keystore_there'
  | 'master_key_lost'
  | 'another_wallet'
  | 'addresses_differ'
  | 'not_noted_yet'
  | 'not_readable';

/** Nothing was created or changed. The message is complete and in lines, for the operator. */
export class WalletRefused extends Error {
  override readonly name = 'WalletRefused';
  readonly fault: WalletFault;
  constructor(fault: WalletFault, lines: readonly string[]) {
    super([...lines, NOTHING_CHANGED].join('\n  '));
    this.fault = fault;
  }
}

const NOTHING_CHANGED = 'Nothing was made or changed. docs/operations/wallets.md says more.';
const REPLACE =
  'Only if the wallet is lost for good, or this database is to have another one: bun run wallet replace --help';

export function keystoreLost(
  { dataDir, database }: DataPlace,
  noted: readonly KeyFingerprint[],
): WalletRefused {
  return new WalletRefused('keystore_lost', [
    `the wallet is not here: there is no keystore.json in ${dataDir}, and ${database} was used with one.`,
    'Is DATA_DIR the right folder, and is its volume mounted? Otherwise put keystore.json back from a backup.',
    howToCheck(noted),
    'To create it again from the seed words: bun run wallet import',
    REPLACE,
  ]);
}

export function keystoreThere({ dataDir }: DataPlace): WalletRefused {
  return new WalletRefused('keystore_there', [
    `there is a keystore.json in ${dataDir}, and it is not replaced.`,
    'Move it away, and keep it: it may be the only copy of its seed.',
  ]);
}

export function wordsOfAnotherWallet(
  { database }: DataPlace,
  differing: readonly DifferingKey[],
): WalletRefused {
  return new WalletRefused('another_wallet', [
    `these are the words of another wallet than the one that ${database} belongs to:`,
    ...differing.map(told),
  ]);
}

export function masterKeyLost({ dataDir, database }: DataPlace): WalletRefused {
  return new WalletRefused('master_key_lost', [
    `there is no master.key in ${dataDir}, and the wallet and the API keys of ${database} are sealed with one.`,
    'Put master.key back from a backup, or set MASTER_KEY to what it holds.',
  ]);
}

export function anotherWallet(
  { dataDir, database }: DataPlace,
  differing: readonly DifferingKey[],
): WalletRefused {
  const [own] = differing;
  if (own !== undefined && !differing.some(({ family }) => hasWalletKey(family)))
    return new WalletRefused('another_wallet', [
      `chains.${own.family}.primary_address of CONFIG_FILE is not that of the wallet that ${database} belongs to:`,
      ...differing.map(told),
      'Configure the earlier address (and view key): only they show payments to its subaddresses.',
      REPLACE,
    ]);
  return new WalletRefused('another_wallet', [
    `${dataDir}/keystore.json is another wallet than the one that ${database} belongs to:`,
    ...differing.map(told),
    'Put the keystore.json of that database back, or set DATA_DIR and DATABASE_URL to a pair that belongs together.',
    howToCheck(differing.map(({ family, noted }) => ({ family, fingerprint: noted }))),
    REPLACE,
  ]);
}

export function addressesDiffer(
  { dataDir, database }: DataPlace,
  given: { readonly family: Family; readonly index: number; readonly address: string },
): WalletRefused {
  const { family, index, address } = given;
  return new WalletRefused('addresses_differ', [
    `${dataDir}/keystore.json does not derive the addresses that ${database} issued:`,
    `${address} (${family}, index ${index}) is not one of its own.`,
    `Put the keystore.json of that database back, and check that the network of ${family} in CONFIG_FILE is the one of before.`,
    'To see what a copy derives: DATA_DIR=<folder of the copy> MASTER_KEY=... bun run wallet show',
    REPLACE,
  ]);
}

export function notNotedYet({ database }: DataPlace): WalletRefused {
  return new WalletRefused('not_noted_yet', [
    `${database} does not know its wallet yet, and ROLE=api cannot record it.`,
    'Start a process with ROLE=worker or all once, to record it.',
  ]);
}

/** An earlier version set up the role of the signer. */
export function notReadable({ database }: DataPlace): WalletRefused {
  return new WalletRefused('not_readable', [
    `the signer may not read which wallet ${database} belongs to.`,
    'As the owner of the tables: grant select on wallet_keys to <role of DATABASE_URL_SIGNER>;',
  ]);
}

const told = ({ family, noted, found }: DifferingKey): string =>
  `  ${family}: the database has ${shortFingerprint(noted)}, this one is ${shortFingerprint(found)}`;

/** A database of an earlier version has no fingerprints. */
function howToCheck(noted: readonly KeyFingerprint[]): string {
  const how = 'To check a copy first: DATA_DIR=<folder of the copy> MASTER_KEY=... bun run wallet show';
  const first = noted.find(({ family }) => family === WALLET_FAMILIES[0]) ?? noted[0];
  if (first === undefined) return how;
  return `${how}: its fingerprint of ${first.family} must be ${shortFingerprint(first.fingerprint)}`;
}
