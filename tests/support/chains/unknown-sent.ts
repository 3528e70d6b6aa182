/**
 * What a scanner tells of the hot wallet's transactions (safety.md K4): none while the database
 * knows them, each of them when it does not.
 */
import { expect } from 'bun:test';
import { paysFor } from '../../../src/app/payouts/record-paid.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { watchList } from '../../../src/app/watching/watch-list.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { UnknownTransaction } from '../../../src/ports/chains/chain-scanner.ts';
import type { TestService } from '../test-service.ts';

/** Newest blocks that are read. */
const BLOCKS = 150;

/** `payoutIds`: some that were paid in the chain's newest blocks. */
export async function expectToldWhenUnknown(
  { service }: TestService,
  chainName: string,
  payoutIds: readonly string[],
): Promise<void> {
  const chain = chainNamed(chainName);
  const scanner = service.chains.scanners.get(chainName);
  const on = service.sending.chains.get(chainName);
  if (scanner === undefined || on === undefined) throw new Error(`${chainName} is not composed`);
  const spending = { wallet: hotWalletOf(on), change: null };
  const watch = watchList(service.dependencies, chain, { arrivals: spending.wallet, spending });
  const { tip } = await scanner.head();
  const read = await service.dependencies.unitOfWork.run(({ chains }) =>
    chains.rememberedBlocks(chainName, BLOCKS),
  );
  const first = read.at(-1)?.height ?? tip.height;

  async function told(forgotten: boolean): Promise<readonly UnknownTransaction[]> {
    const signed = forgotten ? async () => new Set<string>() : watch.spending!.signed;
    const found: UnknownTransaction[] = [];
    for (let from = first; from <= tip.height; from += scanner!.maxRange) {
      const range = { from, to: Math.min(tip.height, from + scanner!.maxRange - 1) };
      const blocks = await scanner!.blocks(range, { ...watch, spending: { ...watch.spending!, signed } });
      found.push(...blocks.flatMap(({ unknown = [] }) => unknown));
    }
    return found;
  }

  expect(await told(false)).toEqual([]);
  const found = await told(true);
  expect(payoutIds.length).toBeGreaterThan(0);
  for (const id of payoutIds) {
    const payout = await service.dependencies.unitOfWork.run(({ payouts }) => payouts.lock(id));
    if (payout === null) throw new Error(`no such payout: ${id}`);
    const transaction = found.find(({ txid }) => txid === payout.txid);
    expect(transaction).toMatchObject({ harmless: false });
    expect(transaction?.payments.filter(paysFor(service.dependencies, payout))).toHaveLength(1);
    expect(typeof transaction?.nonce === 'bigint').toBe(on.sender.capabilities.nonces === 'counted');
  }
}
