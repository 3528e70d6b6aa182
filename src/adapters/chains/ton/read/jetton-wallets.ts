/**
 * The contract that holds an owner's jettons. Its address follows from the owner, the jetton's
 * master contract and the wallet's code (TEP-74). The standard does not define the layout of a
 * wallet's first state, so the known layouts are compared with an address from the master itself.
 * After that, addresses are computed without a call.
 */
import { bitsOf, type CellId, cellId, numberOf } from '../codec/cell-hash.ts';
import { contractHash } from '../codec/wallet-v5.ts';

/** Hashes of addresses in the basechain, where all wallets are. */
export type JettonWalletOf = (owner: Uint8Array) => Uint8Array;

interface JettonWalletParts {
  readonly owner: Uint8Array;
  readonly master: Uint8Array;
  readonly code: CellId;
}

type JettonWalletLayout = (parts: JettonWalletParts) => CellId;

const NO_STATUS = [0n, 4] as const;
const NO_COINS = [0n, 4] as const;
/** addr_std without anycast, workchain 0. */
const address = (hash: Uint8Array) => [(0b100n << 264n) | numberOf(hash), 267] as const;

/**
 * USDT and its kind; TEP-74's reference implementation; variants of it whose wallets read the code
 * from themselves.
 */
const LAYOUTS: readonly JettonWalletLayout[] = [
  ({ owner, master }) => cellId(bitsOf(NO_STATUS, NO_COINS, address(owner), address(master))),
  ({ owner, master, code }) => cellId(bitsOf(NO_COINS, address(owner), address(master)), [code]),
  ({ owner, master }) => cellId(bitsOf(NO_COINS, address(owner), address(master))),
];

/** The rule that gives `wallet` for `owner` in every sample, or null when no known layout does. */
export function jettonWalletRule(
  jetton: Pick<JettonWalletParts, 'master' | 'code'>,
  samples: readonly { owner: Uint8Array; wallet: Uint8Array }[],
): JettonWalletOf | null {
  const rules = LAYOUTS.map(
    (layout): JettonWalletOf =>
      (owner) =>
        contractHash(jetton.code, layout({ ...jetton, owner })),
  );
  const fits = (rule: JettonWalletOf): boolean =>
    samples.every(({ owner, wallet }) => Buffer.compare(rule(owner), wallet) === 0);
  return rules.find(fits) ?? null;
}

/** Every address that a wallet of this owner, master and code can have under a known layout. */
export function possibleJettonWallets(parts: JettonWalletParts): readonly Uint8Array[] {
  return LAYOUTS.map((layout) => contractHash(parts.code, layout(parts)));
}
