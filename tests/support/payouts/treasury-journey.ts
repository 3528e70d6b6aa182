/**
 * A journey whose worker also sweeps and reconciles, on the fake ethereum. Sweeping runs when a
 * test says so.
 */
import { expect } from 'bun:test';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import type { TreasuryChain } from '../../../src/app/sweeps/sweep-needs.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { type ChainReconciliation, reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../fake/fake-journey.ts';
import { OPEN_GATE } from '../runtime/open-gate.ts';
import type { Json } from '../test-service.ts';

export const ETH = 'eth_ethereum';
export const USDT = 'usdt_ethereum';
export const ETHER = 10n ** 18n;

export interface TreasuryJourney extends FakeJourney {
  readonly on: TreasuryChain;
  /** Normalized. */
  readonly hot: string;
  balanceOf(address: string, asset: string): bigint;
  /** An invoice that was paid and credited; answers its deposit address, normalized. */
  credited(amount: string, asset?: string): Promise<string>;
  /** One step of `workers` sweepers at the same time. */
  sweep(workers?: number, stopping?: AbortSignal): Promise<void>;
  /** What was ordered is sent, and waits for a block. */
  send(): Promise<void>;
  /** What was ordered is sent and mined to its finality, and seen. */
  finish(): Promise<void>;
  /**
   * Sweeps, and lets it be mined, until nothing is open and nothing more begins; eight times at
   * most.
   */
  sweepToTheEnd(): Promise<void>;
  /** Sweeps of an address with their state, oldest first. */
  sweepsOf(address: string): Promise<readonly Sweep[]>;
  transfersOf(purpose: string, address: string): Promise<readonly OutgoingTransfer[]>;
  reconciled(options?: { height?: number; everyAddress?: boolean }): Promise<ChainReconciliation>;
  /** Books what the hot wallet was funded with. */
  bookAll(): Promise<void>;
  /** One statement on the service's database. */
  damage(text: string): Promise<void>;
}

/** `funded`: the hot wallet has gas, booked as capital. */
export async function openTreasuryJourney(options: {
  funded: boolean;
  logger?: Logger;
}): Promise<TreasuryJourney> {
  const journey = await openFakeJourney(options.logger ? { logger: options.logger } : {});
  const { service } = journey.it;
  const { dependencies: deps } = service;
  const on = treasuryChains(service.chains, deps).get('ethereum');
  const sending = service.sending.chains.get('ethereum');
  if (!on || !sending) throw new Error('ethereum has no sender');
  const hot = hotWalletOf(on);
  const settings = { sharePpm: 20_000n, limits: { floorUnits: new Map() } };
  const sweepers = [sweeper(deps, on, settings), sweeper(deps, on, settings), sweeper(deps, on, settings)];
  const sender = transferSender(deps, sending, UNLIMITED_PAYOUTS, OPEN_GATE);
  const { openDatabase } = await import('../../../src/adapters/postgres/client/client.ts');
  const { silentLogger } = await import('../runtime/silent-logger.ts');
  const database = openDatabase({ url: journey.it.databaseUrl, poolSize: 2, logger: silentLogger });
  const watcher = service.watchers.get('ethereum');

  const rowsOf = async <T>(text: string, parameters: readonly string[]): Promise<readonly string[]> =>
    (await database.query<{ id: string } & T>(text, parameters)).map(({ id }) => id);

  const isOpen = (): Promise<boolean> =>
    deps.unitOfWork.run(async ({ sweeps, outgoing }) => {
      const open = await sweeps.open('ethereum', { after: '', limit: 1 });
      return open.length > 0 || (await outgoing.open('ethereum', 1)).length > 0;
    });

  const it: TreasuryJourney = {
    ...journey,
    on,
    hot,
    balanceOf: (address, asset) => journey.chain().balanceOf(address, asset),
    async credited(amount, asset = USDT) {
      const body: Json = asset === ETH ? { asset, amount: 50 } : { asset };
      const invoice = await journey.create({ ...body, billing_type: 'VARY' });
      const units = asset === ETH ? BigInt(amount) : usdt(amount);
      journey.chain().pay({ to: invoice.address_to, asset, units });
      await journey.mineToFinality();
      return on.deriver.normalize(invoice.address_to) ?? '';
    },
    async sweep(workers = 1, stopping) {
      await Promise.all(sweepers.slice(0, workers).map((one) => one.step(stopping)));
    },
    send: () => sender.step(),
    async finish() {
      await sender.step();
      journey.chain().mine(13);
      await watcher?.poll();
      await sender.step();
    },
    async sweepToTheEnd() {
      for (let round = 0, still = 0; round < 8 && still < 2; round += 1) {
        await it.sweep();
        await it.finish();
        still = (await isOpen()) ? 0 : still + 1;
      }
    },
    sweepsOf: async (address) => {
      const ids = await rowsOf('select id from sweeps where address = $1 order by created_at, id', [address]);
      return deps.unitOfWork.run(async (repositories) => {
        const found = [];
        for (const id of ids) {
          const sweep = await repositories.sweeps.lock(id);
          if (sweep) found.push(sweep);
        }
        return found;
      });
    },
    transfersOf: async (purpose, address) => {
      const ids = await rowsOf(
        'select id from outgoing_transfers where purpose = $1 and (wallet = $2 or lower(to_address) = $2)',
        [purpose, address],
      );
      return deps.unitOfWork.run((repositories) => repositories.outgoing.find(ids));
    },
    reconciled: (options) => reconcileChain(deps, on, { height: null, ...options }),
    async bookAll() {
      for (const asset of [ETH, USDT]) {
        const found = await bookCapital(deps, on)({ asset, note: 'test', dryRun: false });
        expect(found.ok).toBe(true);
      }
    },
    damage: (text) =>
      database.script(`set session_replication_role = replica; ${text}; reset session_replication_role`),
    async close() {
      await database.close();
      await journey.close();
    },
  };
  if (options.funded) {
    journey.chain().fund(hot, ETH, 10n * ETHER);
    await journey.mineToFinality();
    await it.bookAll();
  }
  return it;
}

/** By address, the statuses of its sweeps, oldest first, with commas between them. */
export async function statusesOf(
  journey: Pick<TreasuryJourney, 'sweepsOf'>,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const address of addresses)
    found.push((await journey.sweepsOf(address)).map(({ status }) => status).join());
  return found;
}
