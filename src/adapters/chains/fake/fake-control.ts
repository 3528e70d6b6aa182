/** What a tester can do to a fake chain, and to the node that its scanner and sender ask. */
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { FakeTransaction } from './chain-state.ts';
import {
  appear,
  appendBlock,
  type FakeMiner,
  type FakePayment,
  mine,
  replaceBlocks,
  submit,
} from './fake-mining.ts';
import type { FakeMoneyControl } from './fake-rules.ts';
import type { BroadcastFault } from './fake-sender.ts';
import type { FakeUtxoSender } from './fake-utxo-sender.ts';

/**
 * What a tester can do to the chain. Impossible orders (an unknown asset, a mined transaction to
 * drop) throw: they are mistakes of the test.
 */
export interface FakeChainControl extends FakeMoneyControl {
  /** Puts a payment from outside into the mempool. It brings new money. */
  pay(payment: FakePayment): { txid: string };
  /** One transaction with several outputs. */
  payMany(payments: readonly FakePayment[]): { txid: string };
  /** The next block brings this money without a transaction (Transfer kind `unexplained`). */
  appear(payment: FakePayment): void;
  /**
   * The owner of `address` changes in the next block: another key may spend from it (safety.md T5).
   */
  changeOwner(address: string): void;
  /**
   * Appends `count` blocks (default 1). The first takes the whole mempool, except transactions of
   * wallets that must wait.
   */
  mine(count?: number): void;
  /** Appends a block of these signed transactions and no other. On UTXO chains only. */
  mineOnly(raws: readonly string[]): Promise<void>;
  /**
   * Replaces the last `depth` blocks by as many others. The first of them mines the transactions in
   * `keep` again. It mines those in `revert` too, but they fail and pay nobody. Those in `requeue`
   * wait in the mempool again. The rest are gone. A wallet's transaction whose predecessor is not
   * kept waits instead, or is gone where its UTXOs are.
   */
  reorg(
    depth: number,
    fate?: { keep?: readonly string[]; revert?: readonly string[]; requeue?: readonly string[] },
  ): void;
  /** Drops a waiting transaction from the mempool. No node has it until it is sent again. */
  drop(txid: string): void;
  /** Makes a transaction wait again that was dropped, or that a reorganisation left out. */
  sendAgain(txid: string): void;
  /**
   * Spends the same money to another address. It replaces a waiting transaction, or reorganises a
   * mined one away.
   */
  doubleSpend(txid: string, other: { to: string }): { txid: string };
  /** Ids of what waits in the mempool. */
  waiting(): readonly string[];
  /** What blocks brought to `address`, oldest first. */
  received(address: string): readonly (Transfer & { readonly height: number })[];
  /** Sets what the sender's node does to broadcasts from now on; null ends that. */
  spoilBroadcasts(fault: BroadcastFault | null): void;
  /** Sets the time (Unix seconds) of blocks mined from now on; null returns to the clock. */
  setTime(unixSeconds: number | null): void;
  /** While on, the node of scanner and sender cannot be reached. */
  fail(on: boolean): void;
  /** The node lacks the newest `blocks` blocks; 0 ends that. */
  lag(blocks: number): void;
  /** While on, the scanner's nodes do not agree on any block (safety.md A3). */
  disagree(on: boolean): void;
}

/** What is wrong with the node, as the controller set it. */
export interface FakeNode {
  /** Of blocks that are mined from now on, Unix seconds; null: the clock's. */
  fixedTime: number | null;
  failing: boolean;
  disagreeing: boolean;
  /** Newest blocks that the node lacks. */
  missing: number;
  broadcastFault: BroadcastFault | null;
}

/** `read` is of UTXO chains. */
export function chainControl(
  miner: FakeMiner,
  node: FakeNode,
  read: FakeUtxoSender['read'] | null,
): FakeChainControl {
  const { state, rules, addressOf } = miner;
  return {
    ...rules.control,
    ...nodeControl(node),
    waiting: () => state.mempool.map(({ txid }) => txid),
    received: (address) => receivedAt(miner, addressOf(address)),
    pay: (payment) => submit(miner, [payment]),
    payMany: (payments) => submit(miner, payments),
    appear: (payment) => appear(miner, payment),
    changeOwner: (address) => {
      miner.reowned = [...miner.reowned, addressOf(address)];
    },
    mine: (count = 1) => mine(miner, count),
    mineOnly: async (raws) => {
      if (read === null) throw new Error(`${miner.chain} has no coins`);
      appendBlock(miner, await readEach(miner, raws, read));
    },
    reorg: (depth, { keep = [], revert = [], requeue = [] } = {}) => {
      const chosen = (cut: readonly FakeTransaction[]): readonly FakeTransaction[] => {
        for (const transaction of cut) if (requeue.includes(transaction.txid)) state.submit(transaction);
        return cut.filter(({ txid }) => keep.includes(txid) || revert.includes(txid));
      };
      replaceBlocks(miner, depth, chosen, revert);
    },
    drop: (txid) => {
      if (state.find(txid)?.block !== null)
        throw new Error(`${txid} does not wait in the mempool of ${miner.chain}`);
      state.evict(txid);
    },
    sendAgain: (txid) => state.submit(rules.asItWaited(state.lost(txid))),
    doubleSpend: (txid, other) => doubleSpend(miner, txid, other),
  };
}

function nodeControl(
  node: FakeNode,
): Pick<FakeChainControl, 'spoilBroadcasts' | 'setTime' | 'fail' | 'lag' | 'disagree'> {
  return {
    spoilBroadcasts: (fault) => {
      node.broadcastFault = fault;
    },
    setTime: (unixSeconds) => {
      node.fixedTime = unixSeconds;
    },
    fail: (on) => {
      node.failing = on;
    },
    lag: (blocks) => {
      node.missing = blocks;
    },
    disagree: (on) => {
      node.disagreeing = on;
    },
  };
}

function receivedAt({ state }: FakeMiner, to: string): ReturnType<FakeChainControl['received']> {
  return state.blocks.flatMap(({ height, transactions, unexplained }) =>
    [...transactions.flatMap(({ transfers }) => transfers), ...unexplained]
      .filter((transfer) => transfer.to === to)
      .map((transfer) => ({ ...transfer, height })),
  );
}

/** Throws for bytes that no block takes. */
async function readEach(
  { state }: FakeMiner,
  raws: readonly string[],
  read: FakeUtxoSender['read'],
): Promise<readonly FakeTransaction[]> {
  const transactions: FakeTransaction[] = [];
  for (const raw of raws) {
    const transaction = await read(raw);
    if ('kind' in transaction || state.find(transaction.txid)?.block)
      throw new Error(`no block takes ${raw}`);
    transactions.push(transaction);
  }
  return transactions;
}

function doubleSpend(miner: FakeMiner, txid: string, { to }: { to: string }): { txid: string } {
  const { chain, state, rules } = miner;
  const found = state.find(txid);
  if (found === null) throw new Error(`${chain} does not know ${txid}`);
  const rival = rules.rival(found.transaction, { to, txid: state.nextTxid() });
  if (found.block === null) {
    state.evict(txid);
    state.submit(rival);
  } else {
    replaceBlocks(miner, state.tip().height - found.block.height + 1, (cut) =>
      cut.map((transaction) => (transaction.txid === txid ? rival : transaction)),
    );
  }
  return { txid: rival.txid };
}
