/**
 * A whole chain in memory behind the ports ChainScanner and ChainSender, and the controller that pays, mines and
 * misbehaves on it. For tests, journeys and `CHAINS=fake`; nothing on it is worth anything.
 */
import { UTXO_FAMILIES } from '../../../domain/catalog/family.ts';
import { balanceKey } from '../../../domain/deposits/deposit.ts';
import type { ChainScanner, Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { ChainSender } from '../../../ports/sending/chain-sender.ts';
import { utxoNetwork } from '../utxo/network.ts';
import { chainState, type FakeTransaction } from './chain-state.ts';
import { fakeDeriver } from './fake-deriver.ts';
import { fakeEntropy, fakeFamily } from './fake-family.ts';
import { fakeMoney } from './fake-money.ts';
import type { FakeMoneyControl, FakeRules } from './fake-rules.ts';
import { fakeScanner } from './fake-scanner.ts';
import { type BroadcastFault, fakeSender } from './fake-sender.ts';
import { type FakeUtxoSender, fakeUtxoSender } from './fake-utxo-sender.ts';
import { fakeUtxos } from './fake-utxos.ts';
import { fakeWays } from './fake-ways.ts';

export interface FakePayment {
  /** Address in any text form of the chain's family. */
  readonly to: string;
  /** One of the chain's asset keys. */
  readonly asset: string;
  /** Base units, above zero. */
  readonly units: bigint;
  /** Sender; null hides it. Default: a fake address, but null on UTXO chains, which hide it. */
  readonly from?: string | null;
  /** Blocks after its own until it may be spent, as for a coinbase or a peg-out; known once it is in a block. */
  readonly matureAfter?: number;
  /** Carries tokens besides the coin. */
  readonly encumbered?: true;
}

/** What a tester can do to the chain. Impossible orders (unknown asset, mined transaction to drop) throw: they are mistakes of the test. */
export interface FakeChainControl extends FakeMoneyControl {
  /** A payment into the mempool, from outside: it brings new money. */
  pay(payment: FakePayment): { txid: string };
  /** One transaction with several outputs. */
  payMany(payments: readonly FakePayment[]): { txid: string };
  /** Money that the next block brings without a transaction (Transfer kind `unexplained`). */
  appear(payment: FakePayment): void;
  /** The owner of `address` changes in the next block: another key may spend from it (safety.md T5). */
  changeOwner(address: string): void;
  /** Appends `count` blocks (default 1); the first takes the whole mempool, but for transactions of wallets that must wait. */
  mine(count?: number): void;
  /** Appends a block of these signed transactions and no other. On UTXO chains only. */
  mineOnly(raws: readonly string[]): Promise<void>;
  /**
   * Replaces the last `depth` blocks by as many others. Transactions in `keep` are mined again in the first of them,
   * those in `revert` too, but there they fail and pay nobody, those in `requeue` wait in the mempool again, the rest are gone.
   * A wallet's transaction whose predecessor is not kept waits instead, or is gone where its UTXOs are.
   */
  reorg(
    depth: number,
    fate?: { keep?: readonly string[]; revert?: readonly string[]; requeue?: readonly string[] },
  ): void;
  /** Drops a waiting transaction from the mempool: nobody has it until it is sent again. */
  drop(txid: string): void;
  /** A transaction that was dropped, or that a reorganisation left out, waits again. */
  sendAgain(txid: string): void;
  /** Spends the same money to another address: replaces a waiting transaction, or reorganises a mined one away. */
  doubleSpend(txid: string, other: { to: string }): { txid: string };
  /** Ids of what waits in the mempool. */
  waiting(): readonly string[];
  /** What blocks brought to `address`, oldest first, whoever sent it. */
  received(address: string): readonly (Transfer & { readonly height: number })[];
  /** What the sender's node does to broadcasts from now on; null ends that. */
  spoilBroadcasts(fault: BroadcastFault | null): void;
  /** The time (Unix seconds) of blocks mined from now on; null returns to the clock. */
  setTime(unixSeconds: number | null): void;
  /** While on, the node of scanner and sender cannot be reached. */
  fail(on: boolean): void;
  /** The node has not seen the newest `blocks` blocks; 0 ends that. */
  lag(blocks: number): void;
  /** While on, the scanner's nodes do not agree on any block (safety.md A3). */
  disagree(on: boolean): void;
}

export interface FakeChain {
  readonly scanner: ChainScanner;
  readonly sender: ChainSender;
  readonly control: FakeChainControl;
}

/** What a chain does with money, and how it is sent there. `read` is of UTXO chains. */
interface Money {
  readonly rules: FakeRules;
  readonly sender: ChainSender;
  readonly read: FakeUtxoSender['read'] | null;
}

/**
 * A chain named `chain` of `family`; a block is final with `confirmations` blocks, its own included. The first of `assets`
 * is the chain's own coin. Change of our own transactions, on a UTXO chain, goes to `change`: fake addresses by default.
 */
export function fakeChain(options: {
  chain: string;
  family: string;
  assets: readonly { asset: string; decimals: number }[];
  clock: Clock;
  confirmations: number;
  change?: ChangeAddresses;
  /** Whether the scanner leaves out blocks that hold nothing. Default false. */
  sparse?: boolean;
}): FakeChain {
  const { chain, family, assets, clock, confirmations } = options;
  const coinFamily = UTXO_FAMILIES.find((one) => one === family);
  const { normalize } = fakeFamily(family);
  const payerAddress = coinFamily ? null : fakeFamily(family).address(fakeEntropy(family, -1));
  let fixedTime: number | null = null;
  let failing = false;
  let disagreeing = false;
  let missing = 0;
  let arrivals: readonly FakePayment[] = [];
  let reowned: readonly string[] = [];
  let broadcastFault: BroadcastFault | null = null;
  const state = chainState({
    chain,
    timeSeconds: () => fixedTime ?? Math.floor(clock.now().getTime() / 1000),
  });
  const node = {
    chain,
    confirmations,
    state,
    failing: () => failing,
    missing: () => missing,
    broadcastFault: () => broadcastFault,
  };
  const { rules, sender, read } = openMoney();

  function openMoney(): Money {
    if (coinFamily === undefined) {
      const ways = fakeWays(family);
      const counted = ways.nonces === 'counted';
      const money = fakeMoney({ chain, assets, addressOf, tipHeight: () => state.tip().height, counted });
      return { rules: money, sender: fakeSender({ ...node, ways, money, addressOf }), read: null };
    }
    const bring = (payment: FakePayment) => appendBlock([transactionOf([payment])]);
    const utxos = fakeUtxos({ chain, asset: assets[0]!.asset, addressOf, state, bring });
    const change = options.change ?? fakeDeriver({ family });
    const network = utxoNetwork(coinFamily, 'main');
    return { rules: utxos, ...fakeUtxoSender({ ...node, network, utxos, change }) };
  }

  function transferOf(payment: FakePayment, key: Pick<Transfer, 'txid' | 'output' | 'kind'>): Transfer {
    rules.checkAsset(payment.asset);
    if (payment.units <= 0n) throw new RangeError('a payment moves at least one base unit');
    const from = payment.from === undefined ? payerAddress : payment.from;
    return {
      ...key,
      asset: payment.asset,
      to: addressOf(payment.to),
      from: from === null ? null : addressOf(from),
      units: payment.units,
      ...(payment.encumbered ? { encumbered: true } : {}),
    };
  }

  function addressOf(text: string): string {
    const address = normalize(text);
    if (address === null) throw new Error(`not an address of the family ${family}: ${text}`);
    return address;
  }

  function submit(payments: readonly FakePayment[]): { txid: string } {
    const transaction = transactionOf(payments);
    state.submit(transaction);
    return { txid: transaction.txid };
  }

  function transactionOf(payments: readonly FakePayment[]): FakeTransaction {
    const txid = state.nextTxid();
    const transfers = payments.map((payment, position) =>
      transferOf(payment, { txid, output: `vout:${position}`, kind: 'payment' }),
    );
    const maturities = payments.map(({ matureAfter }) => matureAfter ?? null);
    return { txid, transfers, ...(maturities.some((blocks) => blocks !== null) ? { maturities } : {}) };
  }

  function appendBlock(candidates: readonly FakeTransaction[], reverted: readonly string[] = []): void {
    const height = state.blocks.length;
    const unexplained = arrivals.map((payment) =>
      transferOf(payment, {
        ...balanceKey(chain, height, addressOf(payment.to)),
        kind: 'unexplained',
      }),
    );
    arrivals = [];
    const { mined, waiting } = rules.execute({ height, candidates, reverted, unexplained });
    for (const transaction of waiting) state.submit(transaction);
    state.append({ transactions: mined, unexplained, reowned });
    reowned = [];
  }

  function mine(count = 1): void {
    if (!Number.isSafeInteger(count) || count < 1 || count > 100_000)
      throw new RangeError(`cannot mine ${count} blocks`);
    appendBlock(state.takeMempool());
    for (let mined = 1; mined < count; mined++) appendBlock([]);
  }

  /** Cuts `depth` blocks and mines as many, with `chosen` in the first of them; there, those in `reverted` fail. */
  function replaceBlocks(
    depth: number,
    chosen: (cut: readonly FakeTransaction[]) => readonly FakeTransaction[],
    reverted: readonly string[] = [],
  ): void {
    const cut = state.cut(depth).flatMap((block) => block.transactions);
    rules.cut(state.tip().height);
    appendBlock(chosen(cut.map(rules.asItWaited)), reverted);
    for (let mined = 1; mined < depth; mined++) appendBlock([]);
  }

  const control: FakeChainControl = {
    ...rules.control,
    waiting: () => state.mempool.map(({ txid }) => txid),
    received: (address) => {
      const to = addressOf(address);
      return state.blocks.flatMap(({ height, transactions, unexplained }) =>
        [...transactions.flatMap(({ transfers }) => transfers), ...unexplained]
          .filter((transfer) => transfer.to === to)
          .map((transfer) => ({ ...transfer, height })),
      );
    },
    spoilBroadcasts: (fault) => {
      broadcastFault = fault;
    },
    pay: (payment) => submit([payment]),
    payMany: submit,
    appear: (payment) => {
      transferOf(payment, { txid: '', output: '', kind: 'unexplained' });
      arrivals = [...arrivals, payment];
    },
    changeOwner: (address) => {
      reowned = [...reowned, addressOf(address)];
    },
    mine,
    mineOnly: async (raws) => {
      if (read === null) throw new Error(`${chain} has no coins`);
      const transactions: FakeTransaction[] = [];
      for (const raw of raws) {
        const transaction = await read(raw);
        const known = 'kind' in transaction ? null : state.find(transaction.txid);
        if ('kind' in transaction || known?.block) throw new Error(`no block takes ${raw}`);
        transactions.push(transaction);
      }
      appendBlock(transactions);
    },
    reorg: (depth, { keep = [], revert = [], requeue = [] } = {}) => {
      const mine = (cut: readonly FakeTransaction[]): readonly FakeTransaction[] => {
        for (const transaction of cut) if (requeue.includes(transaction.txid)) state.submit(transaction);
        return cut.filter(({ txid }) => keep.includes(txid) || revert.includes(txid));
      };
      replaceBlocks(depth, mine, revert);
    },
    drop: (txid) => {
      if (state.find(txid)?.block !== null)
        throw new Error(`${txid} does not wait in the mempool of ${chain}`);
      state.evict(txid);
    },
    sendAgain: (txid) => state.submit(rules.asItWaited(state.lost(txid))),
    doubleSpend: (txid, { to }) => {
      const found = state.find(txid);
      if (found === null) throw new Error(`${chain} does not know ${txid}`);
      const rival = rules.rival(found.transaction, { to, txid: state.nextTxid() });
      if (found.block === null) {
        state.evict(txid);
        state.submit(rival);
      } else {
        replaceBlocks(state.tip().height - found.block.height + 1, (cut) =>
          cut.map((transaction) => (transaction.txid === txid ? rival : transaction)),
        );
      }
      return { txid: rival.txid };
    },
    setTime: (unixSeconds) => {
      fixedTime = unixSeconds;
    },
    fail: (on) => {
      failing = on;
    },
    lag: (blocks) => {
      missing = blocks;
    },
    disagree: (on) => {
      disagreeing = on;
    },
  };
  const counted = coinFamily === undefined && fakeWays(family).nonces === 'counted';
  const sparse = options.sparse ?? false;
  const scanner = fakeScanner({ ...node, counted, sparse, disagreeing: () => disagreeing });
  return { scanner, sender, control };
}
