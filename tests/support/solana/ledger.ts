/**
 * A Solana ledger in memory around litesvm: transactions are executed by the real runtime and the
 * real system, token, Token-2022, associated account and compute budget programs, with real
 * signatures, fees and rent. Ours are the slots and blocks around it: one open slot that `mine`
 * closes into a block, skipped slots, forks, commitments by counting, and the life of a blockhash
 * (150 blocks). Not modelled: leaders, votes, stake, rewards, lookup tables, a fee market between
 * transactions.
 */
import { randomBytes } from 'node:crypto';
import litesvm from 'litesvm/dist/internal.js';
import { type Executed, execute } from './execute.ts';
import { base58, type DecodedTransaction, decodeTransaction } from './wire.ts';

const { LiteSvm } = litesvm;
export type Svm = InstanceType<typeof LiteSvm>;
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** States are kept of so many blocks: deeper forks there cannot be. A state takes a megabyte. */
const STATES_KEPT = 64;
/** Blocks in which a transaction may still use a blockhash (MAX_PROCESSING_AGE). */
const BLOCKHASH_LIFE = 150;

export interface LedgerBlock {
  readonly slot: number;
  readonly height: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  /** Unix seconds. */
  readonly time: number;
  readonly transactions: readonly Executed[];
}

interface Closed extends LedgerBlock {
  /** The state after it, to come back to; null for blocks that no fork reaches any more. */
  state: Uint8Array | null;
}

export interface Placed {
  readonly transaction: Executed;
  readonly slot: number;
  /** Null while its slot is open. */
  readonly block: LedgerBlock | null;
}

export interface LedgerOptions {
  /** Blocks on top of a final one: 31 on the real network. */
  readonly finalizedLag?: number;
  /** Slots before the first block, so that slot and height are never mistaken for each other. */
  readonly firstSlot?: number;
  /** Unix seconds. */
  readonly now?: () => number;
}

export function openLedger({
  finalizedLag = 31,
  firstSlot = 1_000,
  now = systemSeconds,
}: LedgerOptions = {}) {
  let svm = prepared(new LiteSvm());
  let blocks: Closed[] = [];
  let openSlot = firstSlot;
  let executed: Executed[] = [];
  let waiting: DecodedTransaction[] = [];
  const mined = new Map<string, Placed>();
  let congested = false;
  let earlier: { readonly state: Uint8Array; readonly svm: Svm }[] = [];

  const lastHash = (): string => blocks.at(-1)?.blockhash ?? base58(new Uint8Array(32));

  /** Puts it into the open slot, unless the network would drop it without a trace. */
  function include(transaction: DecodedTransaction): void {
    if (!livesOn(transaction.blockhash) || find(transaction.signature) !== null) return;
    const result = execute(svm, transaction);
    if (result !== null) executed.push(result);
  }

  /** Whether the block after the one at height `after` may use it. */
  function livesOn(blockhash: string, after = nextHeight() - 1): boolean {
    const block = blocks.findLast((candidate) => candidate.blockhash === blockhash);
    return block !== undefined && block.height <= after && after < block.height + BLOCKHASH_LIFE;
  }

  const nextHeight = (): number => (blocks.at(-1)?.height ?? 0) + 1;

  function close(): void {
    if (!congested) for (const transaction of waiting.splice(0)) include(transaction);
    const previous = blocks.at(-1);
    // One that did not change is kept once.
    const state = executed.length === 0 && previous !== undefined ? previous.state : svm.toBytes();
    const block: Closed = {
      slot: openSlot,
      height: nextHeight(),
      blockhash: base58(randomBytes(32)),
      previousBlockhash: lastHash(),
      parentSlot: previous?.slot ?? openSlot - 1,
      time: now(),
      transactions: executed,
      state,
    };
    blocks.push(block);
    for (const transaction of executed)
      mined.set(transaction.signature, { transaction, slot: openSlot, block });
    const old = blocks.at(-1 - STATES_KEPT);
    if (old !== undefined) old.state = null;
    executed = [];
    beginSlot(openSlot + 1);
  }

  function beginSlot(slot: number): void {
    openSlot = slot;
    svm.warpToSlot(BigInt(slot));
    const clock = svm.getClock();
    clock.unixTimestamp = BigInt(now());
    svm.setClock(clock);
  }

  function find(signature: string): Placed | null {
    const open = executed.find((transaction) => transaction.signature === signature);
    if (open !== undefined) return { transaction: open, slot: openSlot, block: null };
    return mined.get(signature) ?? null;
  }

  function closedTip(commitment: Commitment): Closed {
    const depth = commitment === 'finalized' ? finalizedLag : 0;
    return blocks[Math.max(0, blocks.length - 1 - depth)]!;
  }

  /** Restoring takes ten milliseconds: the last two are kept. */
  function restored(state: Uint8Array): Svm {
    const kept = earlier.find((entry) => entry.state === state);
    if (kept !== undefined) return kept.svm;
    const entry = { state, svm: prepared(LiteSvm.fromBytes(state)) };
    earlier = [entry, ...earlier].slice(0, 2);
    return entry.svm;
  }

  close();

  return {
    /** The state of the open slot. */
    get svm(): Svm {
      return svm;
    },
    get openSlot(): number {
      return openSlot;
    },
    blocks: (): readonly LedgerBlock[] => blocks,
    /** The state after the last block of a commitment. */
    stateOf(commitment: Commitment): Svm {
      const { state } = closedTip(commitment);
      const live = commitment === 'processed' || (executed.length === 0 && state === blocks.at(-1)!.state);
      return live || state === null ? svm : restored(state);
    },
    /** The last block of a commitment; the first block when none is final yet. */
    tip: (commitment: Commitment): LedgerBlock => closedTip(commitment),
    livesOn,
    find,
    /** From the network: into the open slot at once, or into the queue while it is congested. */
    submit(wire: Uint8Array): void {
      const transaction = decodeTransaction(wire);
      if (congested) waiting.push(transaction);
      else include(transaction);
    },
    mine(count = 1): void {
      for (let mined = 0; mined < count; mined++) close();
    },
    /** Lets slots pass without a block. */
    skip(slots: number): void {
      beginSlot(openSlot + slots);
    },
    /** While on, transactions wait in a queue, and die there with their blockhash. */
    congest(on: boolean): void {
      congested = on;
    },
    /**
     * The last `depth` blocks, and what is open, were on a branch that lost: their slots are
     * skipped ones, their transactions gone.
     */
    fork(depth: number): void {
      const state = blocks.at(-1 - depth)?.state ?? null;
      if (state === null) throw new Error('that block is not there, or its state is not kept');
      for (const { transactions } of blocks.slice(blocks.length - depth))
        for (const { signature } of transactions) mined.delete(signature);
      blocks = blocks.slice(0, blocks.length - depth);
      executed = [];
      waiting = [];
      svm = prepared(LiteSvm.fromBytes(state));
      beginSlot(openSlot + 1);
    },
    /**
     * Changes accounts beside all transactions, as genesis would: in the open slot, and in the
     * state of the last block.
     */
    genesis(change: (svm: Svm) => void): void {
      change(svm);
      const last = blocks.at(-1);
      if (last === undefined) return;
      const before = executed.length === 0 || last.state === null ? svm : LiteSvm.fromBytes(last.state);
      if (before !== svm) change(before);
      last.state = before.toBytes();
    },
  };
}

export type Ledger = ReturnType<typeof openLedger>;

/** Blockhashes are ours to judge, since the blocks are; so is what was processed already. */
function prepared(svm: Svm): Svm {
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  return svm;
}

function systemSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
