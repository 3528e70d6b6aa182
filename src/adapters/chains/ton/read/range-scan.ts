/**
 * One range of masterchain blocks on one node, from lists of transactions to the transfers to
 * addresses of the watch list. The lists name accounts only. They include deposit addresses as
 * such, and jetton wallets by addresses that were computed for them. The lists come from the index
 * or the lite server. Each of our transactions takes one more call.
 */
import {
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { unknownField } from '../../shared/read/unknown.ts';
import type { SigningWallet } from '../codec/external.ts';
import { fromIndex } from '../index-api.ts';
import type { TonNode } from '../toncenter.ts';
import { type ListedBlock, type ListedTransaction, listedBlocks, masterBlock } from './blocks.ts';
import { jettonDeposit, nativeDeposit } from './deposits.ts';
import { indexedBlocks } from './indexed-blocks.ts';
import { type JettonIndex, jettonIndex } from './jetton-index.ts';
import type { Jetton, JettonBook } from './jettons.ts';
import type { AccountOmissions, OwnTransaction } from './omissions.ts';
import { transactionListed } from './transactions.ts';
import { unknownIn } from './unknown.ts';

export interface RangeScanner {
  scan(
    node: TonNode,
    range: { from: number; to: number },
    watch: WatchList,
  ): Promise<readonly ScannedBlock[]>;
}

/** For the lite server's lists, which take some calls for each block. */
const LISTED_AT_ONCE = 16;

/** The first of these blocks: as many as one call reads. */
async function blocksOf(
  node: TonNode,
  { from, to }: { from: number; to: number },
): Promise<readonly ListedBlock[]> {
  const indexed =
    from === 0 ? null : await fromIndex(node, 'blocks', (index) => indexedBlocks(node, index, { from, to }));
  return indexed ?? listedBlocks(node, { from, to: Math.min(to, from + LISTED_AT_ONCE - 1) });
}

/** A transaction that may pay `to`, and in which asset. */
interface PossiblePayment {
  readonly listed: ListedTransaction;
  readonly to: string;
  readonly asset: string;
}

export function rangeScanner(options: {
  nativeAsset: string;
  jettons: JettonBook;
  /** Hash of the deposit address of a derivation index. */
  ownerOf: (index: number) => Uint8Array;
  hotWallet: SigningWallet;
  /** Called with the listed transactions, and with those that may be ours. */
  note: AccountOmissions['note'];
}): RangeScanner {
  const { nativeAsset, jettons, ownerOf } = options;
  const hotWallet = options.hotWallet.address;
  /** By the jetton's object: for another code, all addresses are computed anew. */
  const indexes = new WeakMap<Jetton, JettonIndex>();

  async function openIndexes(watch: WatchList): Promise<ReadonlyMap<string, JettonIndex>> {
    const count = await watch.reservedIndexes();
    const byJetton = new Map<string, JettonIndex>();
    for (const [asset, jetton] of await jettons.usable()) {
      const index = indexes.get(jetton) ?? jettonIndex({ walletOf: jetton.walletOf, ownerOf });
      indexes.set(jetton, index);
      byJetton.set(asset, index);
      await index.extend(count);
    }
    return byJetton;
  }

  function candidatesOf(
    listed: ListedTransaction,
    byJetton: ReadonlyMap<string, JettonIndex>,
  ): PossiblePayment[] {
    const candidates: PossiblePayment[] = [{ listed, to: listed.account, asset: nativeAsset }];
    if (!listed.account.startsWith('0:')) return candidates;
    const wallet = Buffer.from(listed.account.slice(2), 'hex');
    for (const [asset, index] of byJetton) {
      const owner = index.indexOf(wallet);
      if (owner !== null)
        candidates.push({ listed, to: `0:${Buffer.from(ownerOf(owner)).toString('hex')}`, asset });
    }
    return candidates;
  }

  const readCandidate =
    (node: TonNode) =>
    async ({ listed, ...paid }: PossiblePayment) => ({
      ...{ ...paid, account: listed.account },
      read: await transactionListed(node, listed),
    });

  function transferIn({
    read,
    to,
    asset,
  }: Omit<PossiblePayment, 'listed'> & OwnTransaction): Transfer | null {
    const deposit = { asset, to, hotWallet };
    return asset === nativeAsset ? nativeDeposit(read, deposit) : jettonDeposit(read, deposit);
  }

  return {
    scan: async (node, { from, to }, watch) => {
      const byJetton = await openIndexes(watch);
      const blocks = await blocksOf(node, { from, to });
      const linked = blocks.every(
        (block, position) => position === 0 || block.parentHash === blocks[position - 1]!.hash,
      );
      if (!linked)
        throw new ChainUnavailable(`the chain was reorganised while blocks ${from} .. ${to} were read`);
      const listed = blocks.map((block) => block.listed);
      const candidates = listed.map((entries) => entries.flatMap((entry) => candidatesOf(entry, byJetton)));
      const known = await watch.known([...new Set(candidates.flat().map((candidate) => candidate.to))]);
      const ours = candidates.map((entries) => entries.filter(({ to }) => known.has(to)));
      const read = await Promise.all(ours.map((entries) => Promise.all(entries.map(readCandidate(node)))));
      const unknown = await unknownIn(node, listed, {
        ...{ wallet: options.hotWallet, nativeAsset, spending: watch.spending },
        jettons: (await jettons.usable()).values(),
      });
      const last = blocks.at(-1)!;
      const again = await masterBlock(node, last.height);
      if (again.hash !== last.hash || again.parentHash !== last.parentHash)
        throw new ChainUnavailable(`the chain was reorganised while block ${last.height} was read`);
      options.note(listed.flat(), read.flat());
      return blocks.map(({ height, hash, parentHash, time }, position) => ({
        ...{ height, hash, parentHash, time },
        transfers: read[position]!.flatMap((candidate) => transferIn(candidate) ?? []),
        ...unknownField(unknown[position]),
      }));
    },
  };
}
