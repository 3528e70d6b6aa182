/** When nodes are asked whether a nonce holds up all behind it. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { gapFiller } from '../../../../src/app/sending/nonces/fill-nonce-gaps.ts';
import type { SendingChain, SendingNeeds } from '../../../../src/app/sending/sending-chain.ts';
import type { OutgoingTransfer } from '../../../../src/domain/sending/outgoing.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';
import { testClock } from '../../../support/runtime/test-clock.ts';

const WALLET = 'wallet';

describe('a look for nonce gaps', () => {
  const clock = testClock();
  /** Of the chain. */
  let next: bigint;
  let asked: number;
  /** Nonces that no transfer of ours has. */
  let free: bigint[];
  let filled: bigint[];
  let fill: ReturnType<typeof gapFiller>;
  beforeEach(() => {
    [next, asked, free, filled] = [5n, 0, [], []];
    const outgoing = {
      lockWallet: async () => {},
      unusedNonces: async ({ from, below }: { from: bigint; below: bigint }) =>
        free.filter((nonce) => nonce >= from && nonce < below),
      insert: async ({ nonce }: OutgoingTransfer) => void filled.push(nonce),
    };
    const deps = {
      ...{ clock, logger: silentLogger, ids: { id: () => 'id' } },
      unitOfWork: { run: (work: (repositories: object) => unknown) => work({ outgoing }) },
    } as unknown as SendingNeeds;
    const sender = {
      capabilities: { nonces: 'counted' },
      nativeAsset: 'xrp_xrp',
      nextNonce: async () => {
        asked += 1;
        return next;
      },
    };
    const deriver = { hotWallet: () => WALLET, normalize: () => WALLET };
    fill = gapFiller(deps, { chain: 'xrp', sender, deriver } as unknown as SendingChain);
  });
  const open = (...nonces: readonly bigint[]) =>
    nonces.map((nonce) => ({ wallet: WALLET, nonce }) as unknown as OutgoingTransfer);

  test('asks the nodes once while all nonces since then have a transfer of ours', async () => {
    expect(await fill(open(5n, 6n, 7n))).toBe(0);
    for (const nonces of [open(6n, 7n), open(7n), open(7n, 8n)]) expect(await fill(nonces)).toBe(0);
    expect(asked).toBe(1);
  });

  test('asks them again where a nonce below the first has no transfer, and fills that gap', async () => {
    await fill(open(5n, 6n, 7n));
    free = [6n];
    next = 6n;
    expect(await fill(open(7n))).toBe(1);
    expect(asked).toBe(2);
    expect(filled).toEqual([6n]);
  });

  test('asks them again after some seconds: a node may have told too high a nonce', async () => {
    next = 9n;
    await fill(open(9n));
    free = [7n];
    await fill(open(9n, 10n));
    expect(asked).toBe(1);
    clock.advance(10);
    next = 7n;
    expect(await fill(open(9n, 10n))).toBe(1);
    expect(filled).toEqual([7n]);
  });
});
