/**
 * A TON chain in memory: the transactions are real (the TVM and the transaction executor of
 * @ton/sandbox, with the main network's fees and gas), the blocks around them are ours. Modelled:
 * masterchain blocks that come when `mine` is called, some seconds apart or several in a second;
 * two shards of the basechain, each with two blocks in every masterchain block; messages that are
 * delivered one hop a block; external messages that are tried when they come and again when a block
 * takes them; state and history of every account as of every block; reorganisations, which TON
 * itself never has. Not modelled: validators and signatures of blocks, shards that split or merge,
 * the masterchain's own contracts, delays between shards, archives.
 */
import { createHash } from 'node:crypto';
import { type Address, beginCell, type Cell, type Message, storeMessage, type Transaction } from '@ton/core';
import { openExecution } from './execution.ts';

/** A transaction as it lies in a block. */
export interface TonRecord {
  readonly account: string;
  readonly lt: bigint;
  readonly hash: Buffer;
  readonly cell: Cell;
  readonly transaction: Transaction;
  /** 0 or 1: which of its shard's two blocks has it. */
  readonly half: 0 | 1;
}

export interface TonBlock {
  readonly seqno: number;
  readonly time: number;
  readonly rootHash: Buffer;
  readonly records: readonly TonRecord[];
}

interface State {
  readonly blocks: readonly (TonBlock & { records: TonRecord[] })[];
  /** Shard accounts in base64, by raw address. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly internals: readonly Message[];
  readonly externals: readonly Cell[];
  readonly time: number;
  readonly lt: bigint;
}

export interface TonChain {
  readonly globalId: number;
  /** The newest masterchain block. */
  readonly tip: TonBlock;
  block(seqno: number): TonBlock | null;
  /**
   * The shard account (base64) as of a masterchain block; null for an account that was never there.
   */
  accountAt(address: string, seqno: number): string | null;
  /** Transactions of an account, newest first. */
  history(address: string): readonly TonRecord[];
  /**
   * Takes an external message, or throws as a lite server does when the account would not accept
   * it.
   */
  takeExternal(message: Cell): Promise<void>;
  /** A message from outside of what the tests look at; delivered in the next block. */
  inject(message: Message): void;
  /** Puts an account there as of the newest block, as if it had always been. */
  setAccount(address: string, shardAccount: string): void;
  runGetMethod: Execution['runGetMethod'];
  configParam: Execution['configParam'];
  mine(count: number): Promise<void>;
  /** Until nothing is on its way. */
  settle(): Promise<void>;
  /** Time passes before the next block, in seconds. */
  wait(seconds: number): void;
  /** External messages that wait for a block are lost. */
  dropExternals(): void;
  /**
   * Replaces the last `depth` blocks by as many empty ones: what was in them, or on its way, is
   * gone.
   */
  reorg(depth: number): Promise<void>;
}

type Execution = Awaited<ReturnType<typeof openExecution>>;

const LT_STEP = 1_000_000n;
const SETTLED_AFTER = 60;

export async function openTonChain(options: {
  globalId: number;
  time: number;
  blockSeconds?: number;
}): Promise<TonChain> {
  const { blockSeconds = 3 } = options;
  const execution = await openExecution();
  let branch = 0;
  let state: State = {
    blocks: [{ seqno: 0, time: options.time, rootHash: hashOf(0, 0), records: [] }],
    accounts: new Map(),
    internals: [],
    externals: [],
    time: options.time,
    lt: LT_STEP,
  };
  /** The state after each block, by seqno. */
  const states: State[] = [state];

  async function mineBlock(deliver: boolean): Promise<void> {
    const now = state.time + blockSeconds;
    const time = Math.floor(now);
    const seqno = state.blocks.length;
    const { internals, externals } = state;
    const accounts = new Map(state.accounts);
    const records: TonRecord[] = [];
    const out: Message[] = [];
    let { lt } = state;

    async function execute(message: Cell, to: Address): Promise<void> {
      lt += LT_STEP;
      const account = to.toRawString();
      const done = await execution.run({ account: accounts.get(account) ?? null, to, message, time, lt });
      if (done === null) return;
      accounts.set(account, done.account);
      const half = records.length % 2 === 0 ? 0 : 1;
      records.push({ ...done.record, account, half });
      for (const sent of done.record.transaction.outMessages.values())
        if (sent.info.type === 'internal') out.push(sent);
    }

    if (deliver) {
      for (const message of internals) await execute(cellOf(message), message.info.dest as Address);
      for (const external of externals) await execute(external, destinationOf(external));
    }
    const block = { seqno, time, rootHash: hashOf(seqno, branch), records };
    state = {
      blocks: [...state.blocks, block],
      accounts,
      // What came while this block was made is for the next one.
      internals: [...out, ...state.internals.filter((message) => !internals.includes(message))],
      externals: state.externals.filter((message) => !externals.includes(message)),
      time: Math.max(now, state.time),
      lt,
    };
    states[seqno] = state;
  }

  async function takeExternal(message: Cell): Promise<void> {
    const to = destinationOf(message);
    const account = state.accounts.get(to.toRawString()) ?? null;
    const [time, lt] = [Math.floor(state.time), state.lt + LT_STEP];
    // A node tries it on the present state; with what waits already it is tried when the block
    // takes it.
    const done = await execution.run({ account, to, message, time, lt });
    if (done === null)
      throw new Error(
        'LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted',
      );
    const known = state.externals.some((waiting) => waiting.hash().equals(message.hash()));
    if (!known) state = { ...state, externals: [...state.externals, message] };
  }

  return {
    globalId: options.globalId,
    get tip() {
      return state.blocks.at(-1)!;
    },
    block: (seqno) => state.blocks[seqno] ?? null,
    accountAt: (address, seqno) => states[seqno]?.accounts.get(address) ?? null,
    history: (address) =>
      state.blocks
        .toReversed()
        .flatMap(({ records }) => records.filter(({ account }) => account === address).toReversed()),
    takeExternal,
    inject: (message) => {
      state = { ...state, internals: [...state.internals, message] };
    },
    setAccount: (address, shardAccount) => {
      state = { ...state, accounts: new Map([...state.accounts, [address, shardAccount]]) };
      states[state.blocks.length - 1] = state;
    },
    runGetMethod: execution.runGetMethod,
    configParam: execution.configParam,
    mine: async (count) => {
      for (let mined = 0; mined < count; mined++) await mineBlock(true);
    },
    settle: async () => {
      for (let blocks = 0; state.internals.length + state.externals.length > 0; blocks++) {
        if (blocks > SETTLED_AFTER) throw new Error('messages are delivered without an end');
        await mineBlock(true);
      }
    },
    wait: (seconds) => {
      state = { ...state, time: state.time + seconds };
    },
    dropExternals: () => {
      state = { ...state, externals: [] };
    },
    reorg: async (depth) => {
      const { time } = state;
      const base = state.blocks.length - 1 - depth;
      branch += 1;
      state = { ...states[base]!, internals: [], externals: [], time: time - blockSeconds * depth };
      states.length = base + 1;
      for (let mined = 0; mined < depth; mined++) await mineBlock(false);
    },
  };
}

const hashOf = (seqno: number, branch: number): Buffer =>
  createHash('sha256').update(`masterchain block ${seqno} of branch ${branch}`).digest();

const cellOf = (message: Message): Cell => beginCell().store(storeMessage(message)).endCell();

/** Where an external message goes: `ext_in_msg_info$10 src:addr_none$00 dest:...`. */
function destinationOf(message: Cell): Address {
  const slice = message.beginParse();
  if (slice.loadUint(2) !== 2) throw new Error('not an external message');
  slice.loadMaybeExternalAddress();
  return slice.loadAddress();
}
