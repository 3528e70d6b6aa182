/** Payments from outside on a fake chain, and the blocks that take them. */
import { balanceKey } from '../../../domain/deposits/deposit.ts';
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { ChainState, FakeTransaction } from './chain-state.ts';
import type { FakeRules } from './fake-rules.ts';

export interface FakePayment {
  /** Address in any text form of the chain's family. */
  readonly to: string;
  /** One of the chain's asset keys. */
  readonly asset: string;
  /** Base units, above zero. */
  readonly units: bigint;
  /** Sender; null hides it. Default: a fake address; null on UTXO chains, which hide it. */
  readonly from?: string | null;
  /**
   * Blocks after its own until it may be spent, as for a coinbase or a peg-out. Known once it is in
   * a block.
   */
  readonly matureAfter?: number;
  /** Carries tokens besides the coin. */
  readonly encumbered?: true;
}

export interface FakeMiner {
  readonly chain: string;
  readonly state: ChainState;
  readonly rules: FakeRules;
  /** The normalized form; throws for what is no address of the chain. */
  readonly addressOf: (text: string) => string;
  /** Sends payments from outside; null where the chain hides senders. */
  readonly payerAddress: string | null;
  /** What the next block brings without a transaction. */
  arrivals: readonly FakePayment[];
  /** Addresses whose owner changes in the next block. */
  reowned: readonly string[];
}

export function submit(miner: FakeMiner, payments: readonly FakePayment[]): { txid: string } {
  const transaction = transactionOf(miner, payments);
  miner.state.submit(transaction);
  return { txid: transaction.txid };
}

/** Appends a block with this payment from outside and no other. */
export function bring(miner: FakeMiner, payment: FakePayment): void {
  appendBlock(miner, [transactionOf(miner, [payment])]);
}

/** The next block brings the payment without a transaction. */
export function appear(miner: FakeMiner, payment: FakePayment): void {
  transferOf(miner, payment, { txid: '', output: '', kind: 'unexplained' });
  miner.arrivals = [...miner.arrivals, payment];
}

export function mine(miner: FakeMiner, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1 || count > 100_000)
    throw new RangeError(`cannot mine ${count} blocks`);
  appendBlock(miner, miner.state.takeMempool());
  for (let mined = 1; mined < count; mined++) appendBlock(miner, []);
}

/**
 * Cuts `depth` blocks and mines as many, with `chosen` in the first of them. There, those in
 * `reverted` fail.
 */
export function replaceBlocks(
  miner: FakeMiner,
  depth: number,
  chosen: (cut: readonly FakeTransaction[]) => readonly FakeTransaction[],
  reverted: readonly string[] = [],
): void {
  const { state, rules } = miner;
  const cut = state.cut(depth).flatMap((block) => block.transactions);
  rules.cut(state.tip().height);
  appendBlock(miner, chosen(cut.map(rules.asItWaited)), reverted);
  for (let mined = 1; mined < depth; mined++) appendBlock(miner, []);
}

export function appendBlock(
  miner: FakeMiner,
  candidates: readonly FakeTransaction[],
  reverted: readonly string[] = [],
): void {
  const { chain, state, rules, addressOf, reowned } = miner;
  const height = state.blocks.length;
  const unexplained = miner.arrivals.map((payment) =>
    transferOf(miner, payment, {
      ...balanceKey(chain, height, addressOf(payment.to)),
      kind: 'unexplained',
    }),
  );
  miner.arrivals = [];
  const { mined, waiting } = rules.execute({ height, candidates, reverted, unexplained });
  for (const transaction of waiting) state.submit(transaction);
  state.append({ transactions: mined, unexplained, reowned });
  miner.reowned = [];
}

function transactionOf(miner: FakeMiner, payments: readonly FakePayment[]): FakeTransaction {
  const txid = miner.state.nextTxid();
  const transfers = payments.map((payment, position) =>
    transferOf(miner, payment, { txid, output: `vout:${position}`, kind: 'payment' }),
  );
  const maturities = payments.map(({ matureAfter }) => matureAfter ?? null);
  return { txid, transfers, ...(maturities.some((blocks) => blocks !== null) ? { maturities } : {}) };
}

function transferOf(
  { rules, addressOf, payerAddress }: FakeMiner,
  { to, asset, units, from = payerAddress, encumbered }: FakePayment,
  key: Pick<Transfer, 'txid' | 'output' | 'kind'>,
): Transfer {
  rules.checkAsset(asset);
  if (units <= 0n) throw new RangeError('a payment moves at least one base unit');
  return {
    ...key,
    asset,
    to: addressOf(to),
    from: from === null ? null : addressOf(from),
    units,
    ...(encumbered ? { encumbered: true } : {}),
  };
}
