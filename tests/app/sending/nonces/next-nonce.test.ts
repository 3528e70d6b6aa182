/**
 * From where a wallet counts on: by our own records, and by the chain only where its nodes agree.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { type AheadOfUs, nonceFinder } from '../../../../src/app/sending/nonces/next-nonce.ts';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import type { Repositories } from '../../../../src/ports/repositories.ts';
import type { ChainSender, ReportedNonces } from '../../../../src/ports/sending/chain-sender.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { testClock } from '../../../support/runtime/test-clock.ts';

describe('the next nonce of a wallet', () => {
  const clock = testClock();
  let own = 0n;
  let told: ReportedNonces;
  /** How many are in blocks, where that is less than what is told. */
  let mined: bigint | null;
  let logger: ReturnType<typeof recordingLogger>;
  let find: ReturnType<typeof nonceFinder>;
  let noteBegun: () => Promise<void>;
  /** What was done about transactions that are not ours. */
  let done: string[];
  beforeEach(() => {
    logger = recordingLogger();
    mined = null;
    done = [];
    noteBegun = async () => void done.push('begun');
    const aheadOfUs: AheadOfUs = {
      begun: () => noteBegun(),
      proven: async ({ from, below }) => void done.push(`proven ${from} to ${below - 1n}`),
    };
    const repositories = { outgoing: { nextOf: async () => own } } as unknown as Repositories;
    const sender = {
      reportedNonces: async () => told,
      nextNonce: async () => mined ?? told.highest,
    } as unknown as ChainSender;
    const deps = {
      clock,
      logger,
      unitOfWork: { run: async <T>(work: (r: Repositories) => Promise<T>) => work(repositories) },
    };
    find = nonceFinder(deps, { chain: 'xrp', sender }, { aheadOfUs });
  });
  const tell = async (lowest: bigint, highest = lowest, complete = true): Promise<bigint> => {
    told = { lowest, highest, complete };
    return (await find('wallet')).atLeast;
  };
  const errors = () => logger.lines.filter(({ level }) => level === 'error').length;

  test('is ours while the chain is not ahead of it, whatever a node that lags or lies says', async () => {
    own = 10n;
    for (const [lowest, highest] of [
      [10n, 10n],
      [7n, 10n],
      [0n, 9n],
      [9n, 1_000_000n],
    ] as const)
      expect(await tell(lowest, highest)).toBeLessThanOrEqual(own);
    expect(errors()).toBe(1);
    await tell(9n, 1_000_000n);
    expect(errors()).toBe(1);
  });

  test("is the chain's where we never sent from, if its nodes agree", async () => {
    own = 0n;
    expect(await tell(90_000_000n)).toBe(90_000_000n);
    expect(await tell(0n)).toBe(0n);
    await expect(tell(90_000_000n, 90_000_005n)).rejects.toThrow(ChainUnavailable);
    expect(await tell(90_000_000n, 90_000_000n, false)).toBe(90_000_000n);
  });

  test('K4: is proven first where we never sent from it, and something of it waits for a block', async () => {
    own = 0n;
    mined = 3n;
    await expect(tell(4n)).rejects.toThrow(/nodes report nonce 4 for .*, our records say 0/);
    mined = 4n;
    await expect(tell(4n)).rejects.toThrow(ChainUnavailable);
    clock.advance(60);
    expect(await tell(4n)).toBe(4n);
  });

  test("is the chain's where others used the wallet once every node has said so for a minute", async () => {
    own = 10n;
    await expect(tell(30n)).rejects.toThrow(/nodes report nonce 30 for .*, our records say 10/);
    clock.advance(59);
    await expect(tell(30n)).rejects.toThrow(ChainUnavailable);
    clock.advance(1);
    await expect(tell(30n, 30n, false)).rejects.toThrow(ChainUnavailable);
    await expect(tell(29n, 30n)).rejects.toThrow(ChainUnavailable);
    expect(await tell(30n)).toBe(30n);
    expect(errors()).toBe(1);
  });

  test('K4: what all nodes tell at last begins then, although one of them told it before', async () => {
    own = 10n;
    expect(await tell(10n, 11n)).toBe(10n);
    clock.advance(3_600);
    await expect(tell(11n)).rejects.toThrow(ChainUnavailable);
    expect(done).toEqual(['begun']);
    clock.advance(60);
    expect(await tell(11n)).toBe(11n);
    expect(done).toEqual(['begun', 'proven 10 to 10']);
  });

  test('K4: has not begun before what is pending then is known', async () => {
    own = 10n;
    const again = noteBegun;
    noteBegun = () => Promise.reject(new Error('the database is away'));
    await expect(tell(11n)).rejects.toThrow('the database is away');
    noteBegun = again;
    clock.advance(60);
    await expect(tell(11n)).rejects.toThrow(ChainUnavailable);
    expect(done).toEqual(['begun']);
  });

  test('is not what a single node told for a moment, nor what it tells anew each time', async () => {
    own = 10n;
    await expect(tell(1_000_000n)).rejects.toThrow(ChainUnavailable);
    expect(await tell(10n)).toBe(10n);
    clock.advance(120);
    await expect(tell(1_000_000n)).rejects.toThrow(ChainUnavailable);
    clock.advance(120);
    await expect(tell(1_000_001n)).rejects.toThrow(ChainUnavailable);
  });
});
