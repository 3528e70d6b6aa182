/**
 * The network fee of a batch on a UTXO chain, whose transfers are not settled at once: it is in the
 * books exactly once, whoever settles what, and in whatever order.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { paidAndSpent } from '../../../src/app/sending/paid-and-spent.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { settleBatch } from '../../../src/app/sending/settle-batch.ts';
import {
  type SettleTransfer,
  settleTransfer,
  transferSettler,
} from '../../../src/app/sending/settle-transfer.ts';
import { giveUp } from '../../../src/app/sending/signing/give-up-signed.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import type { OutgoingTransfer, TransferBatch } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import { type FakeCoinJourney, openFakeCoinJourney } from '../../support/fake/fake-utxo-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';

const FAMILY = 'bitcoin';

describe.skipIf(!needs('postgres', postgresAvailable()))('the network fee of a batch', () => {
  let at: FakeCoinJourney;
  beforeAll(async () => {
    at = await openFakeCoinJourney(FAMILY);
  });
  afterAll(() => at.journey.close());

  /** Three payouts that have left in one transaction, which is in no block. */
  async function sent(): Promise<TransferBatch> {
    await at.earn(1_000);
    await at.order(...[150_000n, 250_000n, 350_000n].map(at.someone));
    await at.settle();
    const batch = await openTransfers();
    expect(batch).toHaveLength(3);
    return batch as unknown as TransferBatch;
  }
  const deps = () => at.journey.it.service.dependencies;
  const openTransfers = () => deps().unitOfWork.run((r) => r.outgoing.open(FAMILY, 10));
  const ofBatch = ([{ transferBatchId }]: TransferBatch) =>
    deps().unitOfWork.run((r) => r.outgoing.ofBatch(transferBatchId));
  const giveUpAll = (batch: TransferBatch) =>
    deps().unitOfWork.run((r) => giveUp(r, batch, failureOf('coin_lost')));
  /** The fee of its transaction, by the chain. */
  async function feeOf([first, ...others]: TransferBatch): Promise<bigint> {
    const { wallet, nonce, transferBatchId, asset } = first;
    const known = await deps().unitOfWork.run(async (r) => {
      const transactions = await r.outgoing.signedOf([transferBatchId]);
      const { spends } = at.sending().sender.utxos!;
      const inputs = await r.utxos.named(
        FAMILY,
        transactions.flatMap(({ raw }) => spends(raw)),
      );
      return { transactions, inputs };
    });
    const order = { asset, payments: [first, ...others] };
    const outcome = await at.sending().sender.outcome({ wallet, nonce, ...known, order });
    if (outcome.kind !== 'mined') throw new Error(`the batch is ${outcome.kind}`);
    return outcome.feeUnits;
  }
  /** What its transfers carry, and what the books say that the network took for them. */
  async function booked(batch: TransferBatch): Promise<{ carried: bigint; posted: bigint }> {
    const transfers = await ofBatch(batch);
    const postings = await deps().unitOfWork.run(async (r) => {
      const entries = await Promise.all(transfers.map(({ id }) => r.ledger.entriesOf(id)));
      return entries.flat().flatMap(({ kind, postings }) => (kind.startsWith('network_fee') ? postings : []));
    });
    return {
      carried: transfers.reduce((sum, { feeUnits }) => sum + (feeUnits ?? 0n), 0n),
      posted: postings.reduce(
        (sum, { account, amount }) => (account === 'treasury' ? sum - amount : sum),
        0n,
      ),
    };
  }
  async function isBookedOnce(batch: TransferBatch): Promise<void> {
    const fee = await feeOf(batch);
    expect(fee).toBeGreaterThan(0n);
    expect(await booked(batch)).toEqual({ carried: fee, posted: fee });
    expect(await openTransfers()).toEqual([]);
    await at.chainIsRight();
  }
  const step = () =>
    transferSender(deps(), at.sending(), UNLIMITED_PAYOUTS, OPEN_GATE)
      .step()
      .catch(() => undefined);
  /** While another session has the row of this transfer's payout. */
  async function whileLocked({ referenceId }: OutgoingTransfer, work: () => Promise<unknown>): Promise<void> {
    const { databaseUrl: url } = at.journey.it;
    const other = openDatabase({ url, poolSize: 1, queryTimeoutMs: 60_000, logger: silentLogger });
    await other.transaction(async (sql) => {
      await sql.query('select from payouts where id = $1 for update', [referenceId]);
      await work();
    });
    await other.close();
  }
  /** A run of a worker over what is open, which settles with `settle`. */
  async function run(settle: SettleTransfer): Promise<void> {
    const open = (await openTransfers()) as unknown as TransferBatch;
    const [{ transferBatchId, wallet, nonce, asset }] = open;
    const transactions = await deps().unitOfWork.run((r) => r.outgoing.signedOf([transferBatchId]));
    const on = at.sending();
    const { payments, inputs } = await paidAndSpent(deps(), on, open, transactions);
    const order = { asset, payments };
    const outcome = await on.sender.outcome({ wallet, nonce, transactions, inputs, order });
    await settleBatch({ deps: deps(), on, settle }, { batch: open, payments }, outcome, transactions.length);
  }
  const settle: SettleTransfer = (expected, event) =>
    settleTransfer(deps(), expected, event, at.sending().sender);
  /** Like a worker that ends once it has settled this one. */
  const settleOnly = async (
    one: OutgoingTransfer,
    ...[expected, event]: Parameters<SettleTransfer>
  ): Promise<boolean> => {
    if (expected.id !== one.id) throw new Error('the worker ended');
    return settle(expected, event);
  };

  test('is in the books although the payout of its first transfer was locked while the others were settled', async () => {
    const batch = await sent();
    at.control().mine(at.confirmations);
    await whileLocked(batch[0], step);
    const statuses = (await ofBatch(batch)).map(({ status }) => status);
    expect(statuses).toEqual(['signed', 'confirmed', 'confirmed']);
    await at.journey.booksAreRight();
    await at.settle();
    await isBookedOnce(batch);
  }, 60_000);

  for (const place of [1, 2])
    test(`is booked once where all were given up, and the worker ends after number ${place + 1} of three`, async () => {
      const batch = await sent();
      await giveUpAll(batch);
      at.control().mine(at.confirmations);
      // A block took the payment all the same.
      await run((expected, event) => settleOnly(batch[place]!, expected, event)).catch(() => undefined);
      expect((await ofBatch(batch)).filter(({ status }) => status === 'confirmed')).toHaveLength(1);
      await at.journey.booksAreRight();
      await at.settle();
      await isBookedOnce(batch);
    }, 60_000);

  test('G2: of a transaction that gave nothing to three payouts is booked once, and the worker ends after the first', async () => {
    const batch = await sent();
    for (const { referenceId } of batch) expect((await cancelPayout(deps())(referenceId)).ok).toBe(true);
    await at.settle();
    at.control().mine(at.confirmations);
    await run((expected, event) => settleOnly(batch[0], expected, event)).catch(() => undefined);
    await at.settle();
    expect((await ofBatch(batch)).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    await isBookedOnce(batch);
  }, 60_000);

  test('is booked once where all three are settled at the same time', async () => {
    const batch = await sent();
    at.control().mine(at.confirmations);
    const settling: Promise<boolean>[] = [];
    await run((expected, event) => {
      settling.push(settle(expected, event));
      return Promise.resolve(true);
    });
    expect(await Promise.all(settling)).toEqual([true, true, true]);
    await isBookedOnce(batch);
  }, 60_000);

  test('takes one transaction after the other where all were given up, and a block paid them all the same', async () => {
    const batch = await sent();
    await giveUpAll(batch);
    at.control().mine(at.confirmations);
    let [running, most] = [0, 0];
    const unitOfWork: UnitOfWork = {
      async run(work, limits) {
        running += 1;
        most = Math.max(most, running);
        return deps()
          .unitOfWork.run(work, limits)
          .finally(() => (running -= 1));
      },
    };
    await run(transferSettler({ ...deps(), unitOfWork }, at.sending().sender));
    expect(most).toBe(1);
    await isBookedOnce(batch);
  }, 60_000);

  test('is still booked where the version before settled one without it, and then it was upgraded', async () => {
    const batch = await sent();
    at.control().mine(at.confirmations);
    await run((expected, event) =>
      event.type === 'confirmed'
        ? settleOnly(batch[1]!, expected, { ...event, feeUnits: 0n })
        : Promise.resolve(false),
    ).catch(() => undefined);
    // It may still be borne by one that is open.
    await at.journey.booksAreRight();
    await at.settle();
    await isBookedOnce(batch);
  }, 60_000);
});
