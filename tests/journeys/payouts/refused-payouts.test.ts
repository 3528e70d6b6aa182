/**
 * What becomes of payouts whose signature is refused, that lack money once they have a nonce, or
 * that a stop overtakes.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { checkHistory } from '../../../src/adapters/signer/order-rules.ts';
import type { SignedEntry } from '../../../src/adapters/signer/signing-entry.ts';
import { SigningHistory } from '../../../src/adapters/signer/signing-history.ts';
import { holdPayout, releasePayout, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { UNLIMITED_SIGNING } from '../../../src/domain/sending/signing-policy.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { type Signer, SignerUnavailable } from '../../../src/ports/sending/signer.ts';
import { ETHER, openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

const ready = needs('postgres', postgresAvailable());

describe.skipIf(!ready)('a refused payout', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  /** The fake's signer with the rules and the memory of the keystore's. */
  function rememberingSigner(afterSigning: (payoutId: string) => Promise<unknown>): Signer {
    const history = new SigningHistory();
    return {
      ...stage.on.signer,
      async sign(order) {
        const signed = await stage.on.signer.sign(order);
        const entry: SignedEntry = {
          ...order,
          inputs: [],
          at: new Date(0),
          maxFeeUnits: 1n,
          txid: signed.txid,
          resendable: null,
        };
        checkHistory(entry, stage.deps.catalog.require(order.asset), UNLIMITED_SIGNING, history);
        history.add(entry, 0);
        await afterSigning(order.payments[0]?.referenceId ?? '');
        return signed;
      },
    };
  }

  test('a payout that was held while it was being signed is paid when it is released', async () => {
    stage = await openPayoutStage();
    const id = await stage.order();
    let once = true;
    const signer = rememberingSigner(async (payoutId) => {
      if (once) expect((await holdPayout(stage.deps)(payoutId, 'ask first')).ok).toBe(true);
      once = false;
    });
    const { step } = transferSender(stage.deps, { ...stage.on, signer }, UNLIMITED_PAYOUTS, OPEN_GATE);
    await step();
    expect((await releasePayout(stage.deps)(id)).ok).toBe(true);
    for (let round = 0; round < 3; round += 1) {
      await step();
      stage.journey.chain().mine(13);
    }
    const { status } = await stage.stored(id);
    // Waiting for `resign` would do, too; having failed, it can never be resigned.
    expect(status).not.toBe('failed');
  });

  test('a payout that has a nonce and lacks the coin for its fee is a need of liquidity', async () => {
    stage = await openPayoutStage({ ether: ETHER / 1_000n });
    await stage.order();
    let away = true;
    const signer: Signer = {
      ...stage.on.signer,
      sign: async (order) => {
        if (away) throw new SignerUnavailable('away');
        return stage.on.signer.sign(order);
      },
    };
    const { step } = transferSender(stage.deps, { ...stage.on, signer }, UNLIMITED_PAYOUTS, OPEN_GATE);
    await step().catch(() => undefined);
    away = false;
    stage.journey.chain().setFeeLevel(2_000);
    await step();
    const needed = await stage.deps.treasuryQueries.waitingForLiquidity(['usdt_ethereum', 'eth_ethereum']);
    expect(needed).toHaveLength(1);
  });
});

describe.skipIf(!ready)('a stop of signing', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  test('what no node has seen is not handed out once a stop was answered', async () => {
    stage = await openPayoutStage();
    const id = await stage.order();
    stage.journey.chain().spoilBroadcasts('refuse');
    await stage.step();
    expect((await stage.stored(id)).status).toBe('processing');
    stage.journey.chain().spoilBroadcasts(null);
    const { outcome } = stage.on.sender;
    let stopped = false;
    stage.over.sender = {
      // The stop comes, and is answered, while the step asks the node what became of the
      // transaction.
      outcome: async (query) => {
        const found = await outcome(query);
        if (!stopped) await stopSigning(stage.deps)('stolen');
        stopped = true;
        return found;
      },
    };
    await stage.step();
    stage.over.sender = {};
    const [signed] = await stage.signedOf(id);
    expect(signed?.broadcastAt ?? null).toBeNull();
  });

  test('16 transfers that one asset keeps from being signed do not keep the rest from being settled', async () => {
    stage = await openPayoutStage();
    // Mined later than those of the faulty token, under lower nonces of nobody else: sweeps'
    // wallets sort behind too.
    const ids = [];
    for (let count = 0; count < 17; count += 1) ids.push(await stage.order({ amount: 5 }));
    const last = ids.at(-1) ?? '';
    const { address } = await stage.stored(last);
    const { prepare } = stage.on.sender;
    let poison = true;
    stage.over.sender = {
      prepare: async (order, replaces) => {
        if (poison && order.payments[0]?.to !== address)
          throw new SendingRefused('unclear', 'usdt_ethereum cannot be used: its contract does not fit');
        return prepare(order, replaces);
      },
    };
    for (let round = 0; round < 5; round += 1) await stage.step().catch(() => undefined);
    const { status } = await stage.stored(last);
    poison = false;
    expect(status).toBe('processing');
  });
});
