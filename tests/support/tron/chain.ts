/**
 * The chain of the Tron test server: blocks, the pool, what is solidified, and forks. Time is the
 * chain's own, three seconds a block; nothing happens but by `mine` and `fork`.
 */
import { createHash } from 'node:crypto';
import { type Accounts, accounts } from './accounts.ts';
import { decodeTransaction, type ReceivedTransaction } from './decode.ts';
import { execute, type Info, Refused, type World } from './execute.ts';
import { type HexAddress, type Machine, type MachineState, machine } from './machine.ts';
import { BLOCK_MS, DAY_MS, type Parameters, USUAL_PARAMETERS } from './parameters.ts';

export interface ChainBlock {
  readonly height: number;
  readonly id: string;
  readonly parentId: string;
  readonly timeMs: number;
  readonly entries: readonly ChainEntry[];
  /** As of its end. */
  readonly state: { readonly machine: MachineState; readonly accounts: Accounts };
}

export interface ChainEntry {
  readonly transaction: ReceivedTransaction;
  readonly contractRet: string;
  readonly info: Info;
}

export interface Chain {
  readonly world: World;
  readonly parameters: Parameters;
  /** Sun in percent that a busy contract costs more. */
  readonly penalties: Map<HexAddress, bigint>;
  readonly pool: readonly ReceivedTransaction[];
  tip(): ChainBlock;
  solid(): ChainBlock;
  block(height: number): ChainBlock | undefined;
  find(txid: string): { block: ChainBlock; entry: ChainEntry } | undefined;
  /** Takes a signed transaction into the pool; throws Refused as broadcasting does. */
  take(hex: string): Promise<ReceivedTransaction>;
  /** `empty`: what is in the pool stays there. */
  mine(count: number, options?: { empty?: boolean }): Promise<void>;
  /**
   * The last `depth` blocks give way to as many empty ones; their transactions are gone, and so is
   * the pool.
   */
  fork(depth: number): Promise<void>;
  /** Loses what is in the pool. */
  drop(): void;
  /** Makes the next block come this much later. */
  pass(ms: number): void;
  /** Changes the state between blocks, as if the last block had done it. */
  change<T>(work: (world: World) => Promise<T>): Promise<T>;
  /** Runs `work` on the state of a block. */
  at<T>(block: ChainBlock, work: (world: World) => Promise<T>): Promise<T>;
}

/** So that it passes for the network that is configured unless another is. */
const MAINNET_FIRST_BLOCK = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

export async function chain(options: { solidBehind: number; startMs: number }): Promise<Chain> {
  const parameters = { ...USUAL_PARAMETERS };
  const penalties = new Map<HexAddress, bigint>();
  const engine: Machine = await machine();
  const world: World = { machine: engine, accounts: accounts(parameters), parameters, penalties };
  let nowMs = Math.floor(options.startMs / BLOCK_MS) * BLOCK_MS;
  let forks = 0;
  let pool: ReceivedTransaction[] = [];
  let places = new Map<string, { height: number; index: number }>();
  const state = (): ChainBlock['state'] => ({ machine: engine.state(), accounts: world.accounts.copy() });
  const blocks: ChainBlock[] = [
    {
      height: 0,
      id: MAINNET_FIRST_BLOCK,
      parentId: '0'.repeat(64),
      timeMs: nowMs,
      entries: [],
      state: state(),
    },
  ];
  const tip = (): ChainBlock => blocks.at(-1)!;

  function enter({ machine: content, accounts: held }: ChainBlock['state']): void {
    engine.restore(content);
    world.accounts = held.copy();
  }

  async function addBlock(transactions: readonly ReceivedTransaction[]): Promise<void> {
    const parent = tip();
    nowMs += BLOCK_MS;
    const height = parent.height + 1;
    const entries: ChainEntry[] = [];
    for (const transaction of transactions) {
      if (transaction.expirationMs < nowMs) continue;
      try {
        const { contractRet, info } = await execute(world, transaction, parent.timeMs);
        const place = { id: transaction.txid, blockNumber: height, blockTimeStamp: nowMs };
        entries.push({ transaction, contractRet, info: { ...place, ...info } });
        places.set(transaction.txid, { height, index: entries.length - 1 });
      } catch (error) {
        // As a producer does: what became invalid while it waited is left out.
        if (!(error instanceof Refused)) throw error;
      }
    }
    const content = `${parent.id} ${nowMs} ${forks} ${entries.map(({ transaction }) => transaction.txid).join()}`;
    const digest = createHash('sha256').update(content).digest('hex');
    const id = height.toString(16).padStart(16, '0') + digest.slice(16);
    blocks.push({
      height,
      id,
      parentId: parent.id,
      timeMs: nowMs,
      entries,
      state: entries.length === 0 ? parent.state : state(),
    });
  }

  /**
   * The checks of Manager.processTransaction, in its order; the state is the tip's, without what
   * waits.
   */
  async function check(transaction: ReceivedTransaction): Promise<void> {
    const { txid, refBlockBytes, refBlockHash, expirationMs, value, signer } = transaction;
    const recent = blocks.findLast(({ height }) => (height & 0xffff) === Number.parseInt(refBlockBytes, 16));
    if (recent?.id.slice(16, 32) !== refBlockHash) throw new Refused('TAPOS_ERROR', 'Tapos check error.');
    const { timeMs } = tip();
    if (expirationMs < timeMs + BLOCK_MS || expirationMs > timeMs + DAY_MS)
      throw new Refused('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
    if (places.has(txid) || pool.some((waiting) => waiting.txid === txid))
      throw new Refused('DUP_TRANSACTION_ERROR', 'Dup transaction.');
    const owner = String(value.owner_address);
    if ((world.accounts.get(owner)?.signer ?? owner) !== signer)
      throw new Refused(
        'SIGERROR',
        `Validate signature error: ${signer} but it is not contained of permission.`,
      );
    const before = state();
    try {
      await execute(world, transaction, timeMs);
    } finally {
      enter(before);
    }
  }

  return {
    world,
    parameters,
    penalties,
    get pool() {
      return pool;
    },
    tip,
    solid: () => blocks[Math.max(0, tip().height - options.solidBehind)]!,
    block: (height) => blocks[height],
    find(txid) {
      const place = places.get(txid);
      const block = place && blocks[place.height];
      const entry = block?.entries[place!.index];
      return block && entry && { block, entry };
    },
    async take(hex) {
      const transaction = decodeTransaction(hex);
      await check(transaction);
      pool.push(transaction);
      return transaction;
    },
    async mine(count, { empty = false } = {}) {
      for (let mined = 0; mined < count; mined++) {
        const transactions = empty ? [] : pool;
        if (!empty) pool = [];
        await addBlock(transactions);
      }
    },
    async fork(depth) {
      const kept = blocks.length - depth;
      if (kept < 1) throw new Error(`there are no ${depth} blocks to replace`);
      blocks.splice(kept);
      forks += 1;
      pool = [];
      places = new Map([...places].filter(([, { height }]) => height < kept));
      enter(tip().state);
      for (let mined = 0; mined < depth; mined++) await addBlock([]);
    },
    drop: () => {
      pool = [];
    },
    pass: (ms) => {
      nowMs += Math.ceil(ms / BLOCK_MS) * BLOCK_MS;
    },
    async change(work) {
      const result = await work(world);
      blocks[blocks.length - 1] = { ...tip(), state: state() };
      return result;
    },
    async at(block, work) {
      if (block === tip()) return work(world);
      const present = state();
      enter(block.state);
      try {
        return await work(world);
      } finally {
        enter(present);
      }
    },
  };
}
