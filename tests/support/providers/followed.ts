/**
 * A chain followed through a provider's plan in virtual time: the real scanner and the real
 * watcher, over a chain that answers in this process. What a day costs shows in milliseconds of a
 * test, and the same every time.
 */

import type { BudgetTime } from '../../../src/adapters/chains/shared/nodes/call-log.ts';
import { scannerInTurn } from '../../../src/adapters/chains/shared/nodes/client-urgencies.ts';
import type { NodeSettings } from '../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { readInPieces } from '../../../src/adapters/chains/shared/read/in-pieces.ts';
import { toldHeads } from '../../../src/app/chains/announced-heads.ts';
import { hearing } from '../../../src/app/chains/latest-head.ts';
import { warnIfUnavailable } from '../../../src/app/shared/tolerate-outage.ts';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { pollMsOf } from '../../../src/compose/chains/configured-poll-ms.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { outputKey } from '../../../src/domain/deposits/deposit.ts';
import type { ChainHeads } from '../../../src/ports/chains/chain-heads.ts';
import type { ChainNodes, NodeStanding } from '../../../src/ports/chains/chain-nodes.ts';
import type { ChainScanner } from '../../../src/ports/chains/chain-scanner.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { watching } from '../chains/watch-list.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { type VirtualTime, virtualTime } from '../runtime/virtual-time.ts';
import { memoryRecords } from './memory-records.ts';
import type { Plan } from './plans.ts';
import { type Provider, type ProviderCounts, provider } from './provider.ts';

/** A chain that makes its blocks by the clock, and the node that shows it. */
export interface LivingChain {
  /** Its name in the catalog. */
  readonly chain: string;
  readonly blockMs: number;
  /** The height at this moment. */
  tip(): number;
  /** What its node answers at this moment. */
  answer(url: string, init: RequestInit): Promise<Response>;
  /** The clients of the product, on nodes that `fetch` reaches. */
  open(on: { rpc: readonly NodeSettings[]; fetch: typeof fetch; time: BudgetTime; logger: Logger }): {
    readonly scanner: ChainScanner;
    readonly nodes: ChainNodes;
  };
  /** Normalized; the first ones are paid. */
  readonly addresses: readonly string[];
  /** Payments to the addresses in blocks `from` .. `to`, by their credit keys. */
  paid(from: number, to: number): readonly string[];
  close?(): Promise<void>;
}

/**
 * `nowMs` counts from the beginning, when the chain has at least `blocksBefore` blocks behind its
 * tip.
 */
export type MakeChain = (given: {
  nowMs: () => number;
  unixMs: () => number;
  blocksBefore: number;
}) => LivingChain | Promise<LivingChain>;

export interface Followed {
  readonly chain: LivingChain;
  readonly provider: Provider;
  /** Between looks. */
  readonly pollMs: number;
  /**
   * Polls as the service does until the tip is read; virtual seconds, and the blocks read. Throws
   * when that takes longer than `mostMs`.
   */
  catchUp(mostMs: number): Promise<{ readonly seconds: number; readonly blocks: number }>;
  /**
   * Polls as the service does for so long; what the provider counted meanwhile, how many blocks
   * came, how old they were in the mean when they were read and stored, and the time it really
   * took.
   */
  stay(
    ms: number,
  ): Promise<ProviderCounts & { readonly blocks: number; readonly ageMs: number; readonly ms: number }>;
  /** What `bun run chains status` is told of the node's plan. */
  standing(): NodeStanding;
  /**
   * Credit keys of all that was recorded since reading began; omissions are looked for in older
   * blocks, too.
   */
  recorded(): readonly string[];
  /**
   * Log lines that operators are to look at; payments are nobody's here, and those of before are
   * not looked for.
   */
  warnings(): readonly LogLine[];
  close(): Promise<void>;
}

const STEPS_A_RUN = 50;
/** Those that reading begins at, and what is final of them. */
const BLOCKS_BEFORE = 10;

/**
 * `behind`: blocks that were missed when it begins. `watching`: how many of the addresses, all
 * unless it is given. `pollMs`: the pause between polls, the chain's unless it is given. `streams`:
 * the node tells each head as it comes.
 */
export async function follow(options: {
  make: MakeChain;
  plan: Plan;
  latencyMs: number;
  behind: number;
  settings?: Partial<NodeSettings>;
  watching?: number;
  pollMs?: number;
  streams?: boolean;
}): Promise<Followed> {
  const { plan, latencyMs, behind, settings = {}, streams = false } = options;
  const world = virtualTime();
  const wait = (ms: number) => new Promise<void>((resume) => void world.timers.after(ms, resume));
  const living = await options.make({
    ...{ nowMs: world.elapsedMs, unixMs: () => world.now().getTime() },
    blocksBefore: behind + BLOCKS_BEFORE,
  });
  const provided = provider({
    ...{ plan, latencyMs, node: living.answer },
    time: { now: () => world.now().getTime(), wait },
  });
  const lines: LogLine[] = [];
  const logger = memoryLogger(lines);
  const { scanner, nodes } = living.open({
    rpc: [{ url: 'https://provider.example', ...settings }],
    ...{ fetch: provided.fetch, logger },
    time: {
      now: world.elapsedMs,
      wall: () => world.now().getTime(),
      after: (ms, work) => void world.timers.after(ms, work),
    },
  });
  const chain = chainNamed(living.chain);
  const records = memoryRecords({ clock: world, logger });
  const watched = living.addresses.slice(0, options.watching);
  const begins = living.tip() - behind + 1;
  const recorded = async (payments: readonly { txid: string; output: string }[]) => {
    const keys = new Set(records.deposits.filter(({ block }) => block !== null).map(outputKey));
    return new Set(payments.map(outputKey).filter((key) => keys.has(key)));
  };
  const heard = hearing(scannerInTurn(readInPieces(scanner, nodes)), world);
  const watcher = chainWatcher(records.needs, {
    ...{ chain, scanner: heard.scanner, hotWallet: null },
    ...{ watch: { ...watching(watched, watched), reservedIndexes: async () => watched.length, recorded } },
    ...{ startHeight: behind === 0 ? null : begins },
  });
  const pollMs = pollMsOf(chain, { rpc: [settings], electrum: [], pollMs: options.pollMs ?? null });
  const told = streams
    ? toldHeads(
        { clock: world, timers: world.timers },
        { chain, pollMs, streams: headsOf(living, world), heard: heard.heard },
      )
    : null;
  let woken = Promise.withResolvers<void>();
  told?.listen(() => woken.resolve(), new AbortController().signal);
  const ageOf = (height: number) =>
    (living.tip() - height) * living.blockMs + (world.elapsedMs() % living.blockMs);
  const heightRead = () => records.cursor()?.height ?? begins - 1;

  /** One run of the job, as app/jobs.ts has it: whether the tip was read. */
  async function run(): Promise<boolean> {
    let isAtTip = false;
    await warnIfUnavailable(logger, { chain: chain.name, event: 'chain.unreadable' }, async () => {
      for (let step = 0; step < STEPS_A_RUN && !isAtTip; step++) isAtTip = !(await watcher.poll()).behind;
    });
    return isAtTip;
  }

  /** Whether the tip was read, as `run`. */
  async function look(): Promise<boolean> {
    let isAtTip = false;
    const work = async () => {
      isAtTip = await run();
    };
    woken = Promise.withResolvers();
    await (told?.look(work) ?? work());
    return isAtTip;
  }

  /**
   * The scheduler looks once a second whether a job's pause is over, and starts at once what is
   * woken.
   */
  function rest(): Promise<void> {
    const everyMs = told?.everyMs() ?? pollMs;
    return Promise.race([woken.promise, wait(everyMs + 1_000 - ((world.elapsedMs() + everyMs) % 1_000))]);
  }

  return {
    chain: living,
    ...{ provider: provided, pollMs },
    async catchUp(mostMs) {
      const [from, beganAt] = [heightRead(), world.elapsedMs()];
      const work = async () => {
        while (!(await look())) await rest();
      };
      await world.until(work(), mostMs);
      return { seconds: (world.elapsedMs() - beganAt) / 1_000, blocks: heightRead() - from };
    },
    async stay(ms) {
      const before = { ...provided.counts };
      const [from, beganAt] = [heightRead(), world.elapsedMs()];
      const end = beganAt + ms;
      let ages = 0;
      const work = async () => {
        while (world.elapsedMs() < end) {
          const read = heightRead();
          await look();
          for (let height = read + 1; height <= heightRead(); height += 1) ages += ageOf(height);
          await rest();
        }
      };
      await world.until(work(), ms + 600_000);
      const { requests, calls, refused, bytes } = provided.counts;
      return {
        requests: requests - before.requests,
        calls: calls - before.calls,
        refused: refused - before.refused,
        bytes: bytes - before.bytes,
        blocks: heightRead() - from,
        ageMs: ages / (heightRead() - from),
        ms: world.elapsedMs() - beganAt,
      };
    },
    standing: () => nodes.standings()[0]!,
    recorded: () =>
      records.deposits.filter(({ block }) => block === null || block.height >= begins).map(outputKey),
    warnings: () =>
      lines.filter(
        ({ level, event, fields }) =>
          level !== 'info' && event !== 'deposit.stray' && !(Number(fields.height) < begins),
      ),
    async close() {
      await scanner.close();
      await living.close?.();
    },
  };
}

/** Tells each head when it comes, for ever. */
function headsOf({ blockMs, tip }: LivingChain, world: VirtualTime): ChainHeads {
  return {
    listen(told) {
      const tell = () => {
        told(tip());
        world.timers.after(blockMs, tell);
      };
      world.timers.after(blockMs - (world.elapsedMs() % blockMs), tell);
    },
    isAlive: () => true,
    isAliveAt: () => true,
  };
}
