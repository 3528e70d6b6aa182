/**
 * The nonces of the wallets in memory, taken, given back and skipped; and the transfers that leave
 * a wallet.
 */

import type { TransferRow } from '../../../../src/adapters/postgres/sending/outgoing-row.ts';
import type { WalletNonces } from '../../../../src/adapters/postgres/sending/wallet-nonces.ts';
import { larger } from '../../../../src/domain/money/larger.ts';
import { isOpenTransfer } from '../../../../src/domain/sending/outgoing.ts';
import { movesMoney } from '../../../../src/domain/sending/outgoing-purpose.ts';
import type { Commitment } from '../../../../src/ports/sending/outgoing-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { openTransfers } from './open-transfers.ts';

interface Wallet {
  readonly chain: string;
  readonly address: string;
}

/** No more nonces of a wallet are looked at: as in PostgreSQL. */
const SERIES = 10_000n;

export function walletNonces(store: MemoryStore): WalletNonces {
  const { wallets, outgoingTransfers, signedTransactions } = store.tables;
  const nextOf = ({ chain, address }: Wallet): bigint => wallets.find(chain, address)?.nextNonce ?? 0n;
  /** Of a wallet that is not there yet, `first` is the next nonce. */
  const setNext = ({ chain, address }: Wallet, first: bigint, later: (next: bigint) => bigint): bigint =>
    wallets.insertOrUpdate({ chain, address, nextNonce: first }, ({ nextNonce }) => ({
      nextNonce: later(nextNonce),
    })).nextNonce;
  const lock = (wallet: Wallet) => setNext(wallet, 0n, (next) => next);
  const hasNonce = (wallet: Wallet, nonce: bigint, test: (row: TransferRow) => boolean): boolean =>
    outgoingTransfers.by('nonce', nonce).some((row) => isOf(row, wallet) && test(row));
  const isSigned = ({ transferBatchId }: TransferRow): boolean =>
    signedTransactions.by('transferBatchId', transferBatchId).length > 0;

  /** The nonces that were given back and not taken since, lowest first. */
  function givenBack(wallet: Wallet, from: bigint): bigint[] {
    const free = new Set<bigint>();
    for (const row of outgoingTransfers.by('takenOut', true))
      if (isOf(row, wallet) && row.nonce >= from && !hasNonce(wallet, row.nonce, isUsed)) free.add(row.nonce);
    return [...free].sort((a, b) => (a < b ? -1 : 1));
  }

  const takeNonces: WalletNonces['takeNonces'] = async (
    { chain, address, atLeast, givenBackFrom: from },
    count,
  ) => {
    const wallet = { chain, address };
    if (from !== undefined && count > 0) lock(wallet);
    const taken = from === undefined ? [] : givenBack(wallet, from).slice(0, count);
    while (taken.length < count)
      taken.push(setNext(wallet, atLeast + 1n, (next) => larger(next, atLeast) + 1n) - 1n);
    return taken;
  };

  const takeNonce: WalletNonces['takeNonce'] = async (wallet) => {
    const [nonce] = await takeNonces(wallet, 1);
    if (nonce === undefined) throw new Error(`no nonce of ${wallet.address}`);
    return nonce;
  };

  return {
    takeNonces,
    takeNonce,
    async takeNonceOfEach(chain, given) {
      const taken = new Map<string, bigint>();
      for (const wallet of given) taken.set(wallet.address, await takeNonce({ chain, ...wallet }));
      return taken;
    },

    nextOf: async (wallet) => nextOf(wallet),
    nextOfEach: async (chain, addresses) =>
      new Map(
        addresses.flatMap((address) => {
          const wallet = wallets.find(chain, address);
          return wallet === undefined ? [] : [[address, wallet.nextNonce] as const];
        }),
      ),

    async unsignedFrom({ from, ...wallet }) {
      const next = nextOf(wallet);
      if (next === 0n) return from;
      for (const nonce of series(from, next)) if (!hasNonce(wallet, nonce, isSigned)) return nonce;
      return next;
    },

    async skipNonces({ below, ...wallet }) {
      setNext(wallet, below, (next) => larger(next, below));
    },

    async batchesOnTheWay(wallet) {
      const open = openTransfers(store, (row) => isOf(row, wallet));
      return new Set(open.map(({ transferBatchId }) => transferBatchId)).size;
    },

    async unusedNonces({ from, below, limit, ...wallet }) {
      const unused: bigint[] = [];
      for (const nonce of series(from, below)) {
        if (unused.length >= limit) break;
        if (!hasNonce(wallet, nonce, isUsed)) unused.push(nonce);
      }
      return unused;
    },

    async commitmentsSince({ since, ...wallet }) {
      const leaves = (row: TransferRow): boolean =>
        'nonce' in since ? row.nonce >= since.nonce : isOpenTransfer(row) || isAbove(row, since);
      return sumsByAsset(outgoingTransfers.where((row) => isUsed(row) && isOf(row, wallet) && leaves(row)));
    },

    // One that failed only lost its fee.
    delegatedSince: async ({ height, ...wallet }) =>
      outgoingTransfers
        .by('purpose', 'lend')
        .filter((row) => isOf(row, wallet))
        .filter((row) => isOpenTransfer(row) || (row.status === 'confirmed' && isAbove(row, { height })))
        .reduce((sum, { units }) => sum + units, 0n),

    async lockWallet(wallet) {
      lock(wallet);
    },
    async lockWallets(chain, addresses) {
      for (const address of [...new Set(addresses)].toSorted(byText)) lock({ chain, address });
    },
  };
}

function sumsByAsset(rows: readonly TransferRow[]): Commitment[] {
  const sums = new Map<string, Commitment>();
  for (const { asset, status, purpose, units } of rows) {
    const { units: sum, payments } = sums.get(asset) ?? { units: 0n, payments: 0 };
    const leaves = status !== 'failed' && movesMoney({ purpose });
    sums.set(asset, { asset, units: leaves ? sum + units : sum, payments: payments + 1 });
  }
  return [...sums.values()];
}

function* series(from: bigint, below: bigint): Generator<bigint> {
  const end = below < from + SERIES ? below : from + SERIES;
  for (let nonce = from; nonce < end; nonce += 1n) yield nonce;
}

const isOf = (row: TransferRow, { chain, address }: Wallet): boolean =>
  row.wallet === address && row.chain === chain;

/** Nobody else may have its nonce. */
const isUsed = ({ takenOut }: TransferRow): boolean => !takenOut;

const isAbove = ({ blockHeight }: TransferRow, { height }: { readonly height: number }): boolean =>
  blockHeight !== null && blockHeight > height;
