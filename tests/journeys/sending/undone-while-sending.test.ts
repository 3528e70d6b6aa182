/**
 * A final block that leaves the chain while transfers are advanced: what it had settled is found,
 * although what is settled next lies in a block that is there.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { usdt } from '../../support/fake/fake-journey.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

describe.skipIf(!needs('postgres', postgresAvailable()))('a final block that leaves the chain', () => {
  let journey: TreasuryJourney;
  beforeAll(async () => {
    journey = await openTreasuryJourney({ funded: true });
  });
  afterAll(() => journey.close());

  const step = async () => journey.it.service.sending.senders.get('ethereum')?.step();
  const received = () =>
    journey
      .chain()
      .received(RECIPIENT)
      .reduce((sum, { units }) => sum + units, 0n);
  async function only(purpose: string, address: string) {
    const [transfer, ...others] = await journey.transfersOf(purpose, address);
    if (!transfer || others.length > 0) throw new Error(`not one ${purpose} of ${address}`);
    return transfer;
  }
  const transfer = () => only('payout', RECIPIENT.toLowerCase());
  async function depthOf(height: number): Promise<number> {
    const tip = await journey.on.sender.balances(journey.hot, [ETH]);
    return tip.block.height - height + 1;
  }

  /** A payout that was settled. */
  async function paid(): Promise<void> {
    const order = { address: RECIPIENT, amount: 5, asset: USDT };
    const head = { 'x-uniq-id': crypto.randomUUID() };
    const answer = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/payouts', order, head);
    expect(answer.body).toMatchObject({ ok: true });
    await journey.finish();
    expect(await transfer()).toMatchObject({ status: 'confirmed' });
    expect(received()).toBe(usdt('5'));
  }

  /** Of another wallet than the payout's: broadcast, and in no block. */
  async function sweeping(address: string): Promise<string> {
    await journey.sweep();
    await journey.sweep();
    await step();
    const sweep = await only('sweep', address);
    const [signed] = await journey.it.service.dependencies.unitOfWork.run(({ outgoing }) =>
      outgoing.signedOf([sweep.transferBatchId]),
    );
    return signed?.txid ?? '';
  }

  test('U7: a payout of it is sent again, although a sweep was settled in a block above meanwhile', async () => {
    await journey.credited('250');
    await journey.sweepToTheEnd();
    const swept = await journey.credited(String(ETHER), ETH);
    await paid();
    const txid = await sweeping(swept);
    const { block } = await transfer();
    const { sender } = journey.on;
    const asked = sender.outcome;
    // After this step has looked whether settled blocks are there, and before it settles the sweep.
    const outcome = spyOn(sender, 'outcome').mockImplementationOnce(async (query) => {
      journey.chain().reorg(await depthOf(block?.height ?? 0));
      journey.chain().drop(txid);
      journey.chain().mine(1);
      journey.chain().sendAgain(txid);
      journey.chain().mine(13);
      return asked(query);
    });
    await step();
    outcome.mockRestore();
    expect(await only('sweep', swept)).toMatchObject({ status: 'confirmed' });
    expect(received()).toBe(0n);

    await step();
    expect(await transfer()).toMatchObject({ status: 'signed' });
    await journey.finish();
    expect(await transfer()).toMatchObject({ status: 'confirmed' });
    expect(received()).toBe(usdt('5'));
    await journey.it.settle();
    await journey.booksAreRight();
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });
});
