/**
 * The signer signs batches ahead of what is stored. Where the bytes of the first are not stored,
 * those of none are, and the signer refuses each payout under another nonce. So the others must
 * keep theirs, even if the first gives its own back (safety.md G3, G4).
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { checkHistory } from '../../../src/adapters/signer/order-rules.ts';
import type { SignedEntry } from '../../../src/adapters/signer/signing-entry.ts';
import { SigningHistory } from '../../../src/adapters/signer/signing-history.ts';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { UNLIMITED_SIGNING } from '../../../src/domain/sending/signing-policy.ts';
import { StorageUnavailable, type UnitOfWork } from '../../../src/ports/repositories.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

const PAYOUTS = 6;
const ROUNDS = 4;

describe('payouts that the signer signed for, and whose bytes are lost', () => {
  let stage: PayoutStage;
  /** In the order of their nonces. */
  let ids: string[];
  let onceSigned: () => Promise<void>;
  let isAway: boolean;
  beforeEach(async () => {
    stage = await openPayoutStage();
    ids = [];
    for (let nth = 0; nth < PAYOUTS; nth++) ids.push(await stage.order());
    onceSigned = () => Promise.resolve();
    isAway = false;
    rememberSigned();
  });
  afterEach(() => stage.close());

  /** Signs, or refuses, by its log, as the keystore's signer does. */
  function rememberSigned(): void {
    const history = new SigningHistory();
    stage.over.beforeSigning = async (order) => {
      const entry: SignedEntry = {
        ...{ ...order, inputs: [], at: new Date(0), maxFeeUnits: 1n },
        ...{ txid: `${order.nonce}`, resendable: null },
      };
      checkHistory(entry, stage.deps.catalog.require(order.asset), UNLIMITED_SIGNING, history);
      history.add(entry, 0);
      await onceSigned();
    };
  }

  /** A worker whose database can be away. */
  function worker() {
    const unitOfWork: UnitOfWork = {
      run: (work) =>
        isAway ? Promise.reject(new StorageUnavailable('away')) : stage.deps.unitOfWork.run(work),
    };
    return transferSender({ ...stage.deps, unitOfWork }, stage.on, UNLIMITED_PAYOUTS, OPEN_GATE);
  }

  /** Until what was broadcast is final. */
  async function runRounds(step: () => Promise<unknown>): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await step();
      await stage.journey.mineToFinality();
    }
  }

  const payouts = (some: readonly string[]) => Promise.all(some.map((id) => stage.stored(id)));

  /** None of them is held, and each left in one transaction. */
  async function expectPaid(some: readonly string[]): Promise<void> {
    const paid = await payouts(some);
    expect(paid.map(({ held }) => held)).toEqual(some.map(() => null));
    expect(paid.map(({ status }) => status)).toEqual(some.map(() => 'success'));
    expect(await stage.open()).toEqual([]);
  }

  /** Signs for all, and stores none: the process or the database ends in between. */
  async function loseBytes(): Promise<void> {
    onceSigned = async () => {
      isAway = true;
    };
    await worker()
      .step()
      .catch(() => undefined);
    isAway = false;
    onceSigned = () => Promise.resolve();
    expect((await payouts(ids)).map(({ status }) => status)).toEqual(ids.map(() => 'pending'));
    ids = (await stage.open()).map(({ referenceId }) => referenceId);
  }

  /** The first of them cannot be signed, as often as is said. */
  async function refuseFirst(because: SendingRefused['because'], times = Infinity): Promise<void> {
    const { address } = await stage.stored(ids[0] ?? '');
    const { prepare } = stage.on.sender;
    let left = times;
    stage.over.sender = {
      prepare: async (order, replaces) => {
        if (order.payments[0]?.to === address && !order.voids && left-- > 0)
          throw new SendingRefused(because, 'refused by the test');
        return prepare(order, replaces);
      },
    };
  }

  test('are paid under their nonces by the next process, though the first of them fails', async () => {
    await loseBytes();
    await refuseFirst('undone');
    await runRounds(() => worker().step());
    const [first = '', ...others] = ids;
    expect((await stage.stored(first)).status).toBe('failed');
    await expectPaid(others);
  });

  test('are paid under their nonces by two workers at once, though the first of them fails', async () => {
    await loseBytes();
    await refuseFirst('undone');
    const both = [worker(), worker()];
    await runRounds(() => Promise.all(both.map(({ step }) => step())));
    await expectPaid(ids.slice(1));
  });

  test('are all paid, though the nodes cannot tell of the first for a moment', async () => {
    await loseBytes();
    await refuseFirst('unclear', 1);
    await runRounds(() => worker().step());
    await expectPaid(ids);
  });

  test('G4: wait no longer than two minutes for the first, of which the nodes can never tell', async () => {
    await loseBytes();
    await refuseFirst('unclear');
    const { step } = worker();
    await step();
    expect((await stage.open()).map(({ referenceId }) => referenceId)).toEqual(ids);
    stage.journey.clock.advance(2 * 60);
    await runRounds(step);
    const [first = '', ...others] = ids;
    expect((await stage.stored(first)).status).toBe('pending');
    await expectPaid(others);
  });

  test('are paid after signing was stopped, though the merchant of the first is paused meanwhile', async () => {
    const [first = '', ...others] = ids;
    await stage.deps.unitOfWork.run(async (r) => {
      for (const payout of await r.payouts.lockAll(others))
        await r.payouts.save({ ...payout, merchantWaived: true });
    });
    onceSigned = async () => {
      const stop = { at: new Date(), note: 'an alarm' };
      await stage.deps.unitOfWork.run((r) => r.outgoing.setSigningStopped(stop));
    };
    const { step } = worker();
    await step().catch(() => undefined);
    onceSigned = () => Promise.resolve();
    const paused = await changeMerchant(stage.deps)(stage.journey.merchant.id, { status: 'paused' });
    expect(paused.ok).toBe(true);
    await stage.deps.unitOfWork.run((r) => r.outgoing.setSigningStopped(null));
    await runRounds(step);
    expect(await stage.stored(first)).toMatchObject({ status: 'pending', held: null });
    await expectPaid(others);
  });

  test('gave no nonce back where the signer refused the first: the next one used it', async () => {
    const [first = '', ...others] = ids;
    stage.refused.add(first);
    const { step } = worker();
    await step();
    await step();
    await step();
    const open = await stage.open();
    expect((await stage.stored(first)).held).not.toBeNull();
    expect(open.map(({ nonce }) => nonce)).toEqual(others.map((_, nth) => BigInt(nth)));
    expect(open.every(({ purpose }) => purpose === 'payout')).toBe(true);
  });
});
