/**
 * Money out on the XRP Ledger: to tags and new accounts, stuck, expired and signed again once, and
 * never of what nobody decided on.
 */
import { describe, expect, test } from 'bun:test';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { bookAsOwnerFunding } from '../../../src/app/treasury/pooled-funding.ts';
import { setUpWallet } from '../../../src/app/treasury/prepare-wallet.ts';
import { treasuryStatus } from '../../../src/app/treasury/treasury.ts';
import { expectToldWhenUnknown } from '../../support/chains/unknown-sent.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { ASSET, stageXrpJourney, XRP } from '../../support/xrp/journey.ts';
import { accountNumber } from '../../support/xrp/stage.ts';

const XRP_USD = 2_000;

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts in XRP', () => {
  const on = stageXrpJourney({ nodes: 2 });
  const { earn, order, payoutOf, closed, settle, balance, ledgerIsRight } = on;
  const treasury = () => on.it.service.sending.chains.get('xrp')!;
  const deps = () => on.it.service.dependencies;
  const received = (address: string): bigint => on.lab.balanceOf(address);

  async function ordered(address: string, drops: bigint): Promise<string> {
    const { status, body } = await order(address, drops);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.result.order_id;
  }
  const expire = async (): Promise<void> => {
    on.lab.network.close(25);
    await settle();
  };

  test('K4: go to an account with a tag, to an X-address, and open an account with the reserve; the scanner tells them when they are not known', async () => {
    await earn(XRP_USD * 5);
    const shop = on.lab.account('shop');
    const before = received(shop);
    const ids = [
      await ordered(`${shop}:77`, 10_000n),
      await ordered(treasury().deriver.normalize(`${shop}:78`)!, 20_000n),
      await ordered(accountNumber(1), XRP),
    ];
    await settle();
    expect((await payoutOf(ids[0]!)).status).toBe('processing');
    await closed();
    for (const id of ids) {
      const paid = await payoutOf(id);
      expect(paid).toMatchObject({ status: 'success', tx_hashes: [paid.txid] });
    }
    const sent = on.lab.network.ledgers.flatMap(({ transactions }) => transactions).map(({ tx }) => tx);
    expect(sent.filter((tx) => tx.Destination === shop).map((tx) => tx.DestinationTag)).toEqual([77, 78]);
    expect([received(shop) - before, received(accountNumber(1))]).toEqual([30_000n, XRP]);
    await ledgerIsRight();
    await expectToldWhenUnknown(on.it, 'xrp', ids);
  });

  test('fail and give the money back where the ledger would take nothing but the fee', async () => {
    await earn(XRP_USD);
    const before = (await balance()).available;
    on.lab.account('exchange');
    on.lab.sendAndClose('exchange', { TransactionType: 'AccountSet', SetFlag: 1 });
    const ids = [
      await ordered(accountNumber(2), XRP / 10n),
      await ordered(on.lab.account('exchange'), 5_000n),
    ];
    await settle();
    await closed(2);
    for (const id of ids) expect((await payoutOf(id)).status).toBe('failed');
    expect((await balance()).available).toBe(before);
    await ledgerIsRight();
  });

  test('G2: of which the ledger only takes the fee cost their merchant that fee', async () => {
    await earn(XRP_USD);
    const before = (await balance()).available;
    const drops = on.lab.balanceOf(on.hot);
    const id = await ordered(on.lab.account('fickle'), 5_000n);
    for (const node of on.lab.nodes)
      node.behave({ refuse: (method) => (method === 'submit' ? 'highFee' : undefined) });
    await settle();
    // From here on the account wants a tag; the payment is signed without one.
    on.lab.sendAndClose('fickle', { TransactionType: 'AccountSet', SetFlag: 1 });
    for (const node of on.lab.nodes) node.behave({});
    await settle();
    await closed(2);
    const { status, fee_usd: fee } = await payoutOf(id);
    expect(status).toBe('failed');
    expect(fee).toBeCloseTo((Number(drops - on.lab.balanceOf(on.hot)) / 1e6) * XRP_USD, 5);
    expect(before - (await balance()).available).toBeCloseTo(fee, 6);
    expect(fee).toBeGreaterThan(0);
    await ledgerIsRight();
  });

  test('are refused to our own account, whatever the tag', async () => {
    await earn(XRP_USD);
    const invoice = await on.create();
    for (const address of [on.hot, `${on.hot}:0`, `${on.hot}:12345`, invoice.address_to])
      expect((await order(address, 5_000n)).body.error).toMatchObject({ details: { rule: 'own_address' } });
    const mistyped = await order('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj', 5_000n);
    expect(mistyped.body.error).toMatchObject({ details: { rule: 'invalid_address' } });
  });

  test('that no node takes at their fee are handed out again, and pay once when one does', async () => {
    await earn(XRP_USD);
    const shop = on.lab.account('shop');
    const before = received(shop);
    const id = await ordered(shop, 7_000n);
    for (const node of on.lab.nodes)
      node.behave({ refuse: (method) => (method === 'submit' ? 'highFee' : undefined) });
    await settle();
    await closed(3);
    expect(await payoutOf(id)).toMatchObject({ status: 'processing' });
    for (const node of on.lab.nodes) node.behave({});
    await settle();
    await closed();
    const paid = await payoutOf(id);
    expect(paid).toMatchObject({ status: 'success', tx_hashes: [paid.txid] });
    expect(received(shop) - before).toBe(7_000n);
    await ledgerIsRight();
  });

  test('that expire are signed again exactly once under the same sequence, and pay once', async () => {
    await earn(XRP_USD);
    const shop = on.lab.account('shop');
    const before = received(shop);
    const id = await ordered(shop, 8_000n);
    on.lab.network.include(() => false);
    await settle();
    await settle();
    expect((await payoutOf(id)).tx_hashes).toHaveLength(1);
    await closed(20);
    expect((await payoutOf(id)).tx_hashes).toHaveLength(1);
    await expire();
    await settle();
    const { tx_hashes: hashes } = await payoutOf(id);
    expect(hashes).toHaveLength(2);
    on.lab.network.include(() => true);
    await closed();
    expect(await payoutOf(id)).toMatchObject({ status: 'success', txid: hashes[1] });
    expect(received(shop) - before).toBe(8_000n);
    await ledgerIsRight();
  });

  test('G3: that an operator cancels use their nonce up when they have expired, and those behind go on', async () => {
    await earn(XRP_USD * 2);
    const before = (await balance()).available;
    const [shop, other] = [on.lab.account('shop'), on.lab.account('another shop')];
    const [had, hadOther] = [received(shop), received(other)];
    on.lab.network.include(() => false);
    const cancelled = await ordered(shop, 8_000n);
    await settle();
    const behind = await ordered(other, 6_000n);
    await settle();
    expect((await cancelPayout(deps())(cancelled)).ok).toBe(true);
    await settle();
    expect((await payoutOf(cancelled)).status).toBe('processing');
    await expire();
    await settle();
    on.lab.network.include(() => true);
    await closed();
    await closed();
    expect((await payoutOf(cancelled)).status).toBe('cancelled');
    const paid = await payoutOf(behind);
    expect(paid.status).toBe('success');
    expect([received(shop) - had, received(other) - hadOther]).toEqual([0n, 6_000n]);
    expect(before - (await balance()).available).toBeCloseTo(paid.fiat_amount_usd + paid.fee_usd, 4);
    await ledgerIsRight();
  });

  test('G3: that nobody would take when they are to be signed again give their nonce up, and the money is back', async () => {
    await earn(XRP_USD);
    const before = (await balance()).available;
    const exchange = on.lab.account('a strict exchange');
    on.lab.network.include(({ tx }) => tx.Account !== on.hot);
    const id = await ordered(exchange, 8_000n);
    await settle();
    on.lab.sendAndClose('a strict exchange', { TransactionType: 'AccountSet', SetFlag: 1 });
    await expire();
    for (let step = 0; step < 3; step += 1) await settle();
    on.lab.network.include(() => true);
    await closed();
    await closed();
    const refused = await payoutOf(id);
    expect(refused.status).toBe('failed');
    // The fee of what used its nonce up is for the recipient's doing (G2).
    expect(refused.fee_usd).toBeGreaterThan(0);
    expect((await balance()).available).toBeCloseTo(before - refused.fee_usd, 6);
    expect(on.lines.map(({ event }) => event)).toContain('transfer.given_up');
    await ledgerIsRight();
  });

  test('are not signed again while one node that answers has not come to their end', async () => {
    await earn(XRP_USD);
    const id = await ordered(on.lab.account('shop'), 9_000n);
    on.lab.network.include(() => false);
    await settle();
    on.lab.nodes[1]!.behave({ lag: 20 });
    await expire();
    await settle();
    expect((await payoutOf(id)).tx_hashes).toHaveLength(1);
    on.lab.nodes[1]!.behave({});
    await settle();
    expect((await payoutOf(id)).tx_hashes).toHaveLength(2);
    on.lab.network.include(() => true);
    await closed();
    expect((await payoutOf(id)).status).toBe('success');
    await ledgerIsRight();
  });

  test('are not made of money that nobody decided on, and of it once it is decided', async () => {
    await earn(XRP_USD * 1_500);
    // The operator took nearly everything out, by other means.
    on.lab.network.fund(on.hot, 300n * XRP - received(on.hot));
    await settle();
    const book = bookCapital(deps(), treasury());
    expect(await book({ asset: ASSET, note: 'taken out', dryRun: false })).toMatchObject({ ok: true });
    const stray = on.lab.pay(on.hot, 5_000n * XRP);
    const late = await on.create({ ttl: 900 });
    on.clock.advance(1_000);
    on.pay(late, 40n * XRP);
    await closed();
    expect(await on.undecided()).toBe(5_040n * XRP);
    const looked = await treasuryStatus(deps(), treasury());
    expect(looked.assets).toMatchObject([
      {
        hotWalletUnits: 5_340n * XRP,
        atDepositAddresses: { sweepableUnits: 0n, undecidedUnits: 5_040n * XRP },
      },
    ]);
    const id = await ordered(on.lab.account('shop'), 1_000n * XRP);
    await closed(2);
    expect(await payoutOf(id)).toMatchObject({ status: 'pending' });
    expect((await treasuryStatus(deps(), treasury())).assets).toMatchObject([
      { waiting: { count: 1 }, lackingUnits: 700n * XRP },
    ]);
    await ledgerIsRight();
    expect(await bookAsOwnerFunding(deps(), treasury())({ txid: stray, note: '' })).toMatchObject({
      ok: true,
    });
    await closed(2);
    expect((await payoutOf(id)).status).toBe('success');
    await ledgerIsRight();
  });

  test('that ended above the last ledger that was read do not make the books wrong there', async () => {
    await earn(XRP_USD);
    const id = await ordered(on.lab.account('shop'), 9_000n);
    await settle();
    // Sending goes on, and reading does not, as on a machine with too much to do.
    const sender = on.it.service.sending.senders.get('xrp');
    for (let ledger = 0; ledger < 3; ledger += 1) {
      on.lab.network.close();
      await sender?.step();
    }
    expect((await payoutOf(id)).status).toBe('success');
    await ledgerIsRight();
    await closed();
    await ledgerIsRight();
  });

  test('leave nothing to sweep, and money that no transaction explains is found and booked', async () => {
    expect(await requestSweeps(deps(), treasury(), { asset: null, address: null })).toEqual([]);
    expect(on.it.service.jobs.map(({ name }) => name)).not.toContain('sweep:xrp');
    on.lab.network.fund(on.hot, 3n * XRP);
    await closed();
    await expect(ledgerIsRight()).rejects.toThrow();
    const booked = await bookCapital(deps(), treasury())({ asset: ASSET, note: 'found', dryRun: false });
    expect(booked).toMatchObject({ ok: true, value: { units: 3n * XRP, booked: true } });
    await ledgerIsRight();
  });

  test('the wallet is set up by one transaction that moves nothing, and only once', async () => {
    const requiresTag = () => (on.lab.last().world.accounts.get(on.hot)!.flags & 0x0002_0000) !== 0;
    expect(requiresTag()).toBe(false);
    const actor = { kind: 'script', userId: null, name: 'root', ip: null } as const;
    const seat = { actor, userId: '', role: 'admin' } as const;
    const { operatorDesk } = on.it.service.console;
    expect(await operatorDesk.setUpWallet(seat, 'xrp')).toEqual({ ok: true, value: 'ordered' });
    const filter = { merchantId: null, subject: null, subjectId: null, actor: null, from: null, to: null };
    expect(
      await deps().operatorQueries.auditEntries(
        { ...filter, action: 'wallet.setup_ordered' },
        { before: null, limit: 9 },
      ),
    ).toMatchObject([{ actor: { name: 'root' } }]);
    expect(await setUpWallet(deps(), treasury())).toBe('on_its_way');
    await settle();
    await closed();
    expect(requiresTag()).toBe(true);
    expect(await setUpWallet(deps(), treasury())).toBe('is_set');
    const untagged = { TransactionType: 'Payment', Destination: on.hot, Amount: '5' };
    expect(on.lab.sendAndClose('payer', untagged).result).toBe('tecDST_TAG_NEEDED');
    await earn(XRP_USD);
    const id = await ordered(on.lab.account('shop'), 6_000n);
    await settle();
    await closed();
    expect((await payoutOf(id)).status).toBe('success');
    await ledgerIsRight();
  });
});
