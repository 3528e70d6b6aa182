/**
 * Invoices and permanent addresses on the XRP Ledger: one account, a tag each, and what happens to
 * what comes without.
 */
import { describe, expect, test } from 'bun:test';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { assignFunding } from '../../../src/app/treasury/assign-funding.ts';
import { bookAsOwnerFunding } from '../../../src/app/treasury/pooled-funding.ts';
import { consoleUsers } from '../../support/console/console-users.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageXrpJourney, XRP } from '../../support/xrp/journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice in XRP', () => {
  // Static prices: 2,000 USD for an XRP.
  const on = stageXrpJourney({ more: { env: { CONSOLE_APPROVAL_USD: '50000' } } });
  const { create, read, pay, due, closed, settle, statusesSent, balance, ledgerIsRight } = on;
  const treasury = () => on.it.service.sending.chains.get('xrp')!;
  const parked = () => on.it.service.dependencies.treasuryQueries.unbookedFunding(['xrp'], 100);

  test('shows the X-address with its account and tag, and is success with the ledger that has the payment', async () => {
    const invoice = await create();
    expect(invoice.address_to).toMatch(/^X[1-9A-HJ-NP-Za-km-z]{46}$/);
    expect([invoice.address_classic, typeof invoice.address_tag]).toEqual([on.hot, 'number']);
    const page = await on.it.call(null, 'GET', new URL(invoice.payment_url).pathname);
    for (const shown of [invoice.address_to, on.hot, String(invoice.address_tag)])
      expect(page.body).toContain(shown);
    const txid = on.lab.pay(`${on.hot}:${invoice.address_tag}`, due(invoice));
    await settle();
    expect((await read(invoice.order_id)).status).toBe('created');
    await closed();
    expect(await read(invoice.order_id)).toMatchObject({
      ...{ status: 'success', received_amount: invoice.amount, txid, address_from: on.lab.account('payer') },
      ...{ address_classic: on.hot, address_tag: invoice.address_tag },
    });
    expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect((await balance()).available).toBeCloseTo(25, 2);
    await ledgerIsRight();
  });

  test('is paid in part and topped up', async () => {
    const invoice = await create();
    pay(invoice, due(invoice) / 3n);
    await closed();
    expect((await read(invoice.order_id)).status).toBe('partially_paid');
    pay(invoice, due(invoice) - due(invoice) / 3n);
    await closed();
    expect(await read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
    });
    await ledgerIsRight();
  });

  test('X3: ignores a payment that only took its fee', async () => {
    const invoice = await create();
    const failing = {
      Destination: on.hot,
      DestinationTag: invoice.address_tag,
      Amount: (10n ** 15n).toString(),
    };
    expect(on.lab.sendAndClose('payer', { TransactionType: 'Payment', ...failing }).result).toBe(
      'tecUNFUNDED_PAYMENT',
    );
    await settle();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toEqual([]);
    await ledgerIsRight();
  });

  test('is not touched by a ledger that another one takes the place of before it is validated', async () => {
    const invoice = await create();
    pay(invoice);
    on.lab.network.close(1, { validate: false });
    await settle();
    expect((await read(invoice.order_id)).status).toBe('created');
    on.lab.network.replace(1);
    on.lab.network.validate();
    await settle();
    expect((await read(invoice.order_id)).status).toBe('created');
    await closed();
    expect((await read(invoice.order_id)).status).toBe('success');
    expect(await on.depositsTo(invoice.address_to)).toHaveLength(1);
    await ledgerIsRight();
  });

  test('X5: that has expired parks what comes, with its merchant, who can be credited', async () => {
    const invoice = await create({ ttl: 900 });
    on.clock.advance(1_000);
    await closed();
    expect((await read(invoice.order_id)).status).toBe('expired');
    pay(invoice);
    await closed();
    expect((await read(invoice.order_id)).status).toBe('expired');
    const [stray] = await on.depositsTo(invoice.address_to);
    expect(stray).toMatchObject({ status: 'stray', merchantId: on.merchant.id });
    await ledgerIsRight();
    expect(await on.undecided()).toBe(due(invoice));
    expect(await creditStray(on.it.service.dependencies)(stray!.id)).toMatchObject({ ok: true });
    expect(await on.undecided()).toBe(0n);
    await ledgerIsRight();
  });

  test('X2, X6: what no payment explains is parked, with the invoice whose tag it has or without', async () => {
    const invoice = await create();
    const escrow = { Destination: on.hot, Amount: (7n * XRP).toString(), FinishAfter: 1 };
    on.lab.sendAndClose('payer', { TransactionType: 'EscrowCreate', ...escrow });
    const { Account: Owner, Sequence: OfferSequence } = on.lab.last().transactions[0]!.tx;
    const finish = on.lab.sendAndClose('stranger', { TransactionType: 'EscrowFinish', Owner, OfferSequence });
    on.lab.account('leaving', 20n * XRP);
    on.lab.network.close(300);
    const gone = { Destination: on.hot, DestinationTag: invoice.address_tag, Fee: '200000' };
    on.lab.sendAndClose('leaving', { TransactionType: 'AccountDelete', ...gone });
    await settle();
    expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([
      { status: 'stray', unexplained: true, units: 19_800_000n },
    ]);
    expect(await parked()).toMatchObject([{ txid: finish.txid, units: 7n * XRP }]);
    await ledgerIsRight();
    expect(
      await bookAsOwnerFunding(on.it.service.dependencies, treasury())({ txid: finish.txid, note: '' }),
    ).toMatchObject({ ok: true });
    expect(await parked()).toEqual([]);
    await ledgerIsRight();
  });

  test('X5: a payment without the tag is parked, counted as a stray, and pays the invoice when it is assigned', async () => {
    const invoice = await create();
    const strays = async () =>
      (await on.it.service.dependencies.operatorQueries.metrics(on.clock.now())).straysOpen;
    const before = await strays();
    const txid = on.lab.pay(on.hot, due(invoice));
    await closed();
    expect((await read(invoice.order_id)).status).toBe('created');
    expect(await parked()).toMatchObject([{ txid, units: due(invoice) }]);
    expect(await strays()).toBe(before + 1);
    await ledgerIsRight();
    const assign = assignFunding(on.it.service.dependencies, treasury());
    expect(await assign({ txid, address: `${on.hot}:7` })).toMatchObject({
      ok: false,
      error: { code: 'NOT_FOUND' },
    });
    const address = `${on.hot}:${invoice.address_tag}`;
    expect(await assign({ txid, address })).toMatchObject({
      ok: true,
      value: [{ txid, units: due(invoice) }],
    });
    expect(await assign({ txid, address })).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    await settle();
    expect(await read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
      txid,
    });
    expect(await parked()).toEqual([]);
    await ledgerIsRight();
    const watcher = on.it.service.watchers.get('xrp')!;
    await watcher.rescan({ from: on.lab.last().index - 5, to: on.lab.last().index });
    await settle();
    expect(await parked()).toEqual([]);
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited' }]);
    await ledgerIsRight();
  });

  test('X5: an assignment waits for whoever records a block: the payment is not parked once more', async () => {
    const invoice = await create();
    const txid = on.lab.pay(on.hot, due(invoice));
    await closed();
    const { dependencies } = on.it.service;
    const address = `${on.hot}:${invoice.address_tag}`;
    const order = assignFunding(dependencies, treasury());
    const done: string[] = [];
    let assigning: Promise<unknown> = Promise.resolve();
    await dependencies.unitOfWork.run(async ({ chains, utxos }) => {
      await chains.lockCursor('xrp');
      expect(await utxos.isFunding('xrp', { txid, vout: 0 })).toBe(true);
      assigning = order({ txid, address }).then(({ ok }) => done.push(`assigned: ${ok}`));
      await Bun.sleep(300);
      done.push('recorded');
    });
    await assigning;
    expect(done).toEqual(['recorded', 'assigned: true']);
    await settle();
    expect((await read(invoice.order_id)).status).toBe('success');
    expect(await parked()).toEqual([]);
    await ledgerIsRight();
  });

  test('X5: tags 0 and 2^32 - 1, and one of nobody, are parked; adopted, they are capital and nothing else, however often they are read', async () => {
    const txids = [0, 4_294_967_295, 12_345].map((tag) => on.lab.pay(`${on.hot}:${tag}`, 3n * XRP));
    await closed();
    expect((await parked()).map(({ txid }) => txid).toSorted()).toEqual(txids.toSorted());
    const adopt = bookAsOwnerFunding(on.it.service.dependencies, treasury());
    for (const txid of txids) expect(await adopt({ txid, note: 'mine' })).toMatchObject({ ok: true });
    expect(await adopt({ txid: txids[0]!, note: '' })).toMatchObject({ ok: false });
    await on.it.service.watchers
      .get('xrp')!
      .rescan({ from: on.lab.last().index - 3, to: on.lab.last().index });
    expect(await parked()).toEqual([]);
    await ledgerIsRight();
  });

  test('X5: operators of the console assign what came without a tag, and book what is their own: above the limit two of them', async () => {
    const users = consoleUsers(on.it, on.clock, on.merchant.id);
    const [ann, bob, viewer] = [
      await users.user('admin'),
      await users.user('treasurer'),
      await users.user('viewer'),
    ];
    const invoice = await create();
    const txid = on.lab.pay(on.hot, due(invoice));
    const [small, large] = [on.lab.pay(on.hot, 3n * XRP), on.lab.pay(on.hot, 40n * XRP)];
    await closed();
    const at = '/o/wallets/xrp';
    const page = await users.page(ann, at);
    for (const id of [txid, small, large]) expect(page).toContain(id);
    expect(await users.page(ann, '/o/queue')).toContain('hot wallet of xrp');
    expect(await users.refused(viewer, `${at}/assign`, { txid, address: invoice.address_to })).toBe(404);
    expect(await users.refused(ann, `${at}/assign`, { txid, address: `${on.hot}:7` })).toBe(400);
    await users.post(ann, `${at}/assign`, { txid, address: invoice.address_to });
    await settle();
    expect((await read(invoice.order_id)).status).toBe('success');

    const adopt = (id: string) =>
      users.post(ann, `${at}/adopt`, { txid: id, note: 'ours', form_id: crypto.randomUUID() });
    expect(await adopt(small)).toBe(at);
    expect(await adopt(large)).toBe('/o/approvals');
    expect((await parked()).map((row) => row.txid)).toEqual([large]);
    const [approval] = await on.it.service.dependencies.operatorQueries.approvals({
      ...{ merchantId: null, sandbox: false, statuses: ['waiting'], limit: 9 },
    });
    expect(await users.refused(ann, `/o/approvals/${approval?.id}/approve`, {})).toBe(400);
    await users.post(bob, `/o/approvals/${approval?.id}/approve`, {});
    expect(await parked()).toEqual([]);
    const any = { merchantId: null, subject: null, subjectId: null, actor: null, from: null, to: null };
    const entriesOf = async (action: string) =>
      (
        await on.it.service.dependencies.operatorQueries.auditEntries(
          { ...any, action },
          { before: null, limit: 9 },
        )
      ).map(({ note, actor }) => [note, actor.name]);
    expect(await entriesOf('deposit.assigned')).toEqual([[invoice.address_to, ann.email]]);
    expect(await entriesOf('capital.adopted')).toEqual([
      [large, bob.email],
      [small, ann.email],
    ]);
    await ledgerIsRight();
  });

  test('a permanent address takes two payments: an invoice each', async () => {
    const body = { user_id: 'customer-7', family: 'xrp' };
    const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', body);
    expect(made.status).toBe(201);
    const address = made.body.result;
    expect([address.address_classic, typeof address.address_tag]).toEqual([on.hot, 'number']);
    for (const usd of [30n, 50n]) on.lab.pay(address.address, usd * 500n);
    await closed();
    const answer = await on.it.call(on.merchant.live, 'GET', '/api/v2/invoices?order=asc');
    expect(answer.body.result).toMatchObject([
      {
        status: 'success',
        permanent_address_id: address.id,
        received_amount: 0.015,
        address_tag: address.address_tag,
      },
      { status: 'success', permanent_address_id: address.id, received_amount: 0.025 },
    ]);
    await ledgerIsRight();
  });
});
