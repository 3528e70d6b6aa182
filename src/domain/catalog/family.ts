/**
 * The chain families, one row each, and the questions about them. Reading, signing and sending are
 * their adapters' work.
 */
import type { CancelWay, FamilyFacts, WalletKeyFacts } from './family-facts.ts';
import { keysOf } from './keys-of.ts';
import {
  bip21Uri,
  cashaddrUri,
  ethereumUri,
  moneroUri,
  plainAddress,
  rippleUri,
  solanaUri,
  tonUri,
} from './payment-uris.ts';

const USUAL = {
  permanentAddresses: true,
  utxo: false,
  mined: false,
  energy: false,
  pooledAddresses: false,
  finalityTag: false,
  leastConfirmations: false,
  finalWhen: '{blocks}',
  memo: null,
  browserWallets: null,
} as const;
const OF_UTXOS = { ...USUAL, settings: 'utxo', utxo: true, mined: true } as const;

const ROWS = {
  evm: {
    ...USUAL,
    settings: 'gas',
    finalityTag: true,
    finalWhen: "the node's `finalized` tag",
    cancel: 'replace',
    browserWallets: 'eip6963',
    addresses: { shape: /^0x[0-9a-fA-F]{40}$/, nobodys: /^0x0{40}$/i, outOfReach: null },
    walletKey: { path: "m/44'/60'/0'", kind: 'account', place: 0 },
    paymentUri: ethereumUri,
  },
  bitcoin: {
    ...OF_UTXOS,
    cancel: 'replace',
    addresses: {
      shape: /^(bc1[02-9ac-hj-np-z]{11,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
      nobodys: null,
      outOfReach: null,
    },
    walletKey: { path: "m/84'/0'/0'", kind: 'account', place: 1 },
    paymentUri: bip21Uri('bitcoin'),
  },
  litecoin: {
    ...OF_UTXOS,
    // litecoind has -mempoolreplacement off by default
    cancel: null,
    addresses: {
      shape: /^(ltc1[02-9ac-hj-np-z]{11,87}|[LM3][1-9A-HJ-NP-Za-km-z]{25,34})$/,
      nobodys: null,
      outOfReach: null,
    },
    walletKey: { path: "m/84'/2'/0'", kind: 'account', place: 2 },
    paymentUri: bip21Uri('litecoin'),
  },
  bitcoincash: {
    ...OF_UTXOS,
    cancel: null,
    addresses: {
      shape: /^((bitcoincash:)?[qp][02-9ac-hj-np-z]{41}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
      nobodys: null,
      outOfReach: null,
    },
    walletKey: { path: "m/44'/145'/0'", kind: 'account', place: 3 },
    paymentUri: cashaddrUri,
  },
  tron: {
    ...USUAL,
    settings: 'expiring',
    finalWhen: 'solidified, and {blocks} on the main network',
    energy: true,
    leastConfirmations: true,
    cancel: 'expire',
    browserWallets: 'tronlink',
    addresses: {
      shape: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
      // the zero address in base58check: there is one text for it
      nobodys: /^T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb$/,
      outOfReach: null,
    },
    walletKey: { path: "m/44'/195'/0'", kind: 'account', place: 4 },
    paymentUri: plainAddress,
  },
  solana: {
    ...USUAL,
    settings: 'streaming',
    finalWhen: 'finalized, and {blocks} on the main network',
    pooledAddresses: true,
    cancel: 'expire',
    browserWallets: 'wallet_standard',
    addresses: { shape: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, nobodys: null, outOfReach: null },
    walletKey: { path: "m/44'/501'/0'/0'", kind: 'ed25519', place: 7 },
    paymentUri: solanaUri,
  },
  xrp: {
    ...USUAL,
    settings: 'streaming',
    finalWhen: 'in a validated ledger',
    cancel: 'expire',
    memo: 'tag',
    addresses: {
      shape: /^(r[1-9A-HJ-NP-Za-km-z]{24,34}(:\d{1,10})?|X[1-9A-HJ-NP-Za-km-z]{46})$/,
      nobodys: null,
      outOfReach: null,
    },
    walletKey: { path: "m/44'/144'/0'/0/0", kind: 'secp256k1', place: 5 },
    paymentUri: rippleUri,
  },
  ton: {
    ...USUAL,
    settings: 'expiring',
    finalWhen: 'in a masterchain block',
    cancel: 'expire',
    memo: 'needless',
    addresses: {
      shape: /^([EUk0][Qf][A-Za-z0-9_-]{46}|(0|-1):[0-9a-fA-F]{64})$/,
      nobodys: /^(0|-1):0{64}$/,
      // The masterchain: its gas and messages cost many times what is reckoned with, and its
      // accounts are the network's own contracts and those of validators. `-1:` raw; in the form
      // for people, the byte after the flags makes the second character an f.
      outOfReach: {
        shape: /^(-1:|[EUk0]f[A-Za-z0-9+/_-]{46}$)/,
        refusal:
          "The address is in TON's masterchain (workchain -1), where payouts are not made: give one of the basechain (0:...).",
      },
    },
    walletKey: { path: "m/44'/607'/0'", kind: 'ed25519', place: 6 },
    paymentUri: tonUri,
  },
  monero: {
    ...USUAL,
    settings: 'ownWallet',
    permanentAddresses: false,
    mined: true,
    cancel: null,
    addresses: {
      shape: /^[48][1-9A-HJ-NP-Za-km-z]{94}([1-9A-HJ-NP-Za-km-z]{11})?$/,
      nobodys: null,
      outOfReach: null,
    },
    walletKey: null,
    paymentUri: moneroUri,
  },
} as const satisfies Readonly<Record<string, FamilyFacts>>;

type Rows = typeof ROWS;
export type Family = keyof Rows;
export type PermanentFamily = {
  [F in Family]: Rows[F]['permanentAddresses'] extends true ? F : never;
}[Family];
/** Families with a key of our wallet. */
export type WalletFamily = { [F in Family]: Rows[F]['walletKey'] extends null ? never : F }[Family];
export type SingleKeyFamily = {
  [F in WalletFamily]: Rows[F]['walletKey']['kind'] extends 'account' ? never : F;
}[WalletFamily];
/** The one whose key every keystore has, from the first version on. */
export type FirstFamily = {
  [F in WalletFamily]: Rows[F]['walletKey']['place'] extends 0 ? F : never;
}[WalletFamily];
export type UtxoFamily = { [F in Family]: Rows[F]['utxo'] extends true ? F : never }[Family];

export const FAMILY_ROWS: Readonly<Record<Family, FamilyFacts>> = ROWS;
/** In the order of lists. */
export const FAMILIES = keysOf(ROWS);
export const PERMANENT_FAMILIES = FAMILIES.filter(isPermanentFamily);
export const UTXO_FAMILIES = FAMILIES.filter(isUtxo);
/** In the order of the keys in keystore.json. */
export const WALLET_FAMILIES = FAMILIES.filter(hasWalletKey).toSorted(
  (one, other) => walletKey(one).place - walletKey(other).place,
);

export function isPermanentFamily(family: Family): family is PermanentFamily {
  return FAMILY_ROWS[family].permanentAddresses;
}

export function isUtxo(family: Family): family is UtxoFamily {
  return FAMILY_ROWS[family].utxo;
}

export const FIRST_FAMILY = WALLET_FAMILIES[0] as FirstFamily;

/**
 * The networks that a chain can be configured for, where it has no chain id and no wallet of the
 * operator's own.
 */
export const NETWORKS = ['main', 'test', 'regtest'] as const;
export type NetworkName = (typeof NETWORKS)[number];

export function isMined(family: Family): boolean {
  return FAMILY_ROWS[family].mined;
}

export function cancelWay(family: Family): CancelWay | null {
  return FAMILY_ROWS[family].cancel;
}

/** If not, the wallet is the operator's own, and its keys are in the configuration. */
export function hasWalletKey(family: Family): family is WalletFamily {
  return FAMILY_ROWS[family].walletKey !== null;
}

export function walletKey(family: WalletFamily): WalletKeyFacts {
  return ROWS[family].walletKey;
}
