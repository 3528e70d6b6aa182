/** What repositories hold back, and what makes them write it. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { gatherWrites } from '../../../src/app/deposits/gather-writes.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { aDeposit, anEntry, anId, anInvoice, NOW } from '../../support/builders.ts';

/** The calls that reached the repositories, with the ids that they were about. */
let calls: string[] = [];
let stored: Map<string, { readonly id: string }>;
beforeEach(() => {
  calls = [];
  stored = new Map();
});

const idsOf = (given: unknown): string =>
  (Array.isArray(given) ? given : [given])
    .map((one: unknown) => (typeof one === 'string' ? one : (one as { id: string }).id))
    .join(' ');
const told = (name: string, answer: (given: never) => unknown) => async (given: never) => {
  const ids = idsOf(given);
  if (ids !== '') calls.push(`${name} ${ids}`);
  return answer(given);
};
const rows = (name: string) => ({
  lock: told(`${name}.lock`, (id: string) => stored.get(id) ?? null),
  lockAll: told(`${name}.lockAll`, (ids: readonly string[]) => ids.flatMap((id) => stored.get(id) ?? [])),
  lockFree: told(`${name}.lockFree`, (ids: readonly string[]) => ids.flatMap((id) => stored.get(id) ?? [])),
  find: told(`${name}.find`, (id: string) => stored.get(id) ?? null),
  insertAll: told(`${name}.insertAll`, (given: readonly { id: string }[]) => {
    for (const row of given) stored.set(row.id, row);
  }),
  saveAll: told(`${name}.saveAll`, (given: readonly { id: string }[]) => {
    for (const row of given) stored.set(row.id, row);
  }),
});

const gathering = () =>
  gatherWrites({
    invoices: {
      ...rows('invoices'),
      waitingOnPermanentAddresses: async (payments: readonly unknown[]) => payments.map(() => null),
      lockWaitingOnPermanentAddress: async () => {
        calls.push('invoices.lockWaiting');
        return null;
      },
    },
    deposits: { ...rows('deposits'), hasTraced: told('deposits.hasTraced', () => false) },
    utxos: { insertDeposits: told('utxos.insertDeposits', () => undefined) },
    ledger: {
      post: told('ledger.post', () => undefined),
      postAll: told('ledger.postAll', () => undefined),
      entriesOf: told('ledger.entriesOf', () => []),
    },
    merchants: {
      find: told('merchants.find', () => null),
      callbackUrls: told(
        'merchants.callbackUrls',
        (ids: readonly string[]) => new Map(ids.map((id) => [id, `https://${id}.example`])),
      ),
    },
  } as unknown as Repositories);

describe('gathered writes', () => {
  test('come together, each row once and as it was saved last, new deposits first', async () => {
    const { gathered, flush } = gathering();
    const invoice = anInvoice();
    const [known, fresh] = [aDeposit(), aDeposit()];
    const entry = anEntry({ kind: 'deposit_arrived' });
    await gathered.invoices.save({ ...invoice, version: 2 });
    await gathered.deposits.save(known);
    await gathered.deposits.insertAll([fresh]);
    await gathered.utxos.insertDeposits([known], 'bitcoin');
    await gathered.ledger.post(entry);
    await gathered.invoices.save({ ...invoice, version: 3 });
    expect(calls).toEqual([]);
    await flush();
    expect(calls).toEqual([
      `deposits.insertAll ${fresh.id}`,
      `invoices.saveAll ${invoice.id}`,
      `deposits.saveAll ${known.id}`,
      `utxos.insertDeposits ${known.id}`,
      `ledger.postAll ${entry.id}`,
    ]);
    expect(stored.get(invoice.id)).toMatchObject({ version: 3 });
    calls = [];
    await flush();
    expect(calls).toEqual([]);
  });

  test('are seen by who locks the row again, and a row is locked once', async () => {
    const { gathered } = gathering();
    const [invoice, other] = [anInvoice(), anInvoice()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const row of [invoice!, other!]) stored.set(row.id, row);
    expect(await gathered.invoices.lockAll([other!.id, invoice!.id])).toEqual([invoice!, other!]);
    await gathered.invoices.save({ ...invoice!, version: 7 });
    expect(await gathered.invoices.lock(invoice!.id)).toEqual({ ...invoice!, version: 7 });
    expect(await gathered.invoices.lockAll([invoice!.id, other!.id])).toEqual([
      { ...invoice!, version: 7 },
      other!,
    ]);
    expect(calls).toEqual([`invoices.lockAll ${other!.id} ${invoice!.id}`]);
    const fresh = aDeposit();
    await gathered.deposits.insertAll([fresh]);
    expect(await gathered.deposits.lock(fresh.id)).toEqual(fresh);
    expect(await gathered.deposits.lock(anId())).toBeNull();
  });

  test.each([
    ['a question about deposits', (r: Repositories, { id }: Deposit) => r.deposits.find(id)],
    ['a question about the ledger', (r: Repositories, { id }: Deposit) => r.ledger.entriesOf(id)],
    [
      'an entry that takes one back',
      (r: Repositories) => r.ledger.post(anEntry({ kind: 'income_reversed' })),
    ],
  ])('are written before %s, and rows are read again after it', async (_, ask) => {
    const { gathered } = gathering();
    const deposit = aDeposit();
    stored.set(deposit.id, deposit);
    const invoice = anInvoice();
    stored.set(invoice.id, invoice);
    await gathered.deposits.lock(deposit.id);
    await gathered.invoices.lock(invoice.id);
    await gathered.deposits.save({ ...deposit, note: 'held back' });
    calls = [];
    await ask(gathered, deposit);
    expect(calls[0]).toBe(`deposits.saveAll ${deposit.id}`);
    expect(calls).toHaveLength(2);
    expect(await gathered.deposits.lock(deposit.id)).toMatchObject({ note: 'held back' });
    expect(calls.at(-1)).toBe(`deposits.lock ${deposit.id}`);
    await gathered.invoices.lock(invoice.id);
    expect(calls.at(-1)).toBe(`invoices.lock ${invoice.id}`);
  });

  test('write new invoices and their deposits after everything else, as they were saved last', async () => {
    const { gathered, flush } = gathering();
    const [invoice, other] = [anInvoice(), anInvoice()];
    const [first, second] = [aDeposit({ invoiceId: invoice.id }), aDeposit({ invoiceId: other.id })];
    await gathered.invoices.insert(invoice);
    await gathered.deposits.insertAll([first, second]);
    await gathered.invoices.save({ ...invoice, version: 5 });
    await gathered.invoices.save(other);
    const place = { chain: first.chain, asset: first.asset, block: { height: 1, hash: 'b' } };
    // What waits cannot change the answer.
    await gathered.deposits.hasTraced({ ...place, address: second.address });
    expect(calls.slice(0, 2)).toEqual([`deposits.insertAll ${second.id}`, `invoices.saveAll ${other.id}`]);
    expect(await gathered.invoices.lock(invoice.id)).toMatchObject({ version: 5 });
    expect(await gathered.deposits.lock(first.id)).toEqual(first);
    calls = [];
    await gathered.ledger.post(anEntry({ kind: 'deposit_arrived' }));
    await flush();
    expect(calls.map((call) => call.split(' ')[0])).toEqual([
      'ledger.postAll',
      'invoices.insertAll',
      'deposits.insertAll',
    ]);
    expect(stored.get(invoice.id)).toMatchObject({ version: 5 });
  });

  test('write new invoices for a question that is about them', async () => {
    const { gathered } = gathering();
    const invoice = anInvoice();
    const deposit = aDeposit({ invoiceId: invoice.id });
    await gathered.invoices.insert(invoice);
    await gathered.deposits.insertAll([deposit]);
    await gathered.deposits.hasTraced({ ...deposit, block: { height: 1, hash: 'b' } });
    expect(calls.slice(0, 2)).toEqual([
      `invoices.insertAll ${invoice.id}`,
      `deposits.insertAll ${deposit.id}`,
    ]);
  });

  test('ask again for an invoice that waits only where one may have come since', async () => {
    const { gathered } = gathering();
    const permanentAddressId = anId();
    const payment = { permanentAddressId, asset: 'usdt_ethereum', seenAt: NOW, madeBefore: null };
    const invoice = anInvoice({ permanentAddressId, bindsPermanentAddress: true, userId: 'u' });
    const ask = async () => {
      calls = [];
      await gathered.invoices.lockWaitingOnPermanentAddress(payment);
      return calls;
    };
    expect(await ask()).toEqual(['invoices.lockWaiting']);
    await gathered.invoices.waitingOnPermanentAddresses([payment]);
    expect(await ask()).toEqual([]);
    await gathered.invoices.save({ ...invoice, status: 'confirming' });
    expect(await ask()).toEqual([]);
    await gathered.invoices.save(invoice);
    expect(await ask()).toEqual([`invoices.saveAll ${invoice.id}`, 'invoices.lockWaiting']);
    await gathered.invoices.waitingOnPermanentAddresses([payment]);
    await gathered.invoices.insert({ ...invoice, id: anId(), status: 'confirming' });
    expect(await ask()).toEqual([]);
    const fresh = { ...invoice, id: anId() };
    await gathered.invoices.insert(fresh);
    expect((await ask()).at(-1)).toBe('invoices.lockWaiting');
    expect(stored.has(fresh.id)).toBe(true);
  });

  test('know the locked invoices that no other transaction has', async () => {
    const { gathered } = gathering();
    const [invoice, other] = [anInvoice(), anInvoice()];
    stored.set(invoice.id, invoice);
    expect(await gathered.invoices.lockFree([invoice.id, other.id])).toEqual([invoice]);
    expect(await gathered.invoices.lock(invoice.id)).toEqual(invoice);
    expect(calls).toEqual([`invoices.lockFree ${invoice.id} ${other.id}`]);
  });

  test('ask for the URLs of all locked invoices’ merchants at once', async () => {
    const { gathered } = gathering();
    const [invoice, other] = [anInvoice(), anInvoice({ merchantId: anId() })];
    for (const row of [invoice, other]) stored.set(row.id, row);
    await gathered.invoices.lockAll([invoice.id, other.id]);
    calls = [];
    await gathered.merchants.callbackUrls([other.merchantId]);
    const urls = await gathered.merchants.callbackUrls([invoice.merchantId]);
    expect(urls).toEqual(
      new Map([other, invoice].map(({ merchantId: id }) => [id, `https://${id}.example`])),
    );
    expect(calls).toHaveLength(1);
  });

  test('ask for a merchant once', async () => {
    const { gathered } = gathering();
    const id = anId();
    await Promise.all([gathered.merchants.find(id), gathered.merchants.find(id)]);
    expect(calls).toEqual([`merchants.find ${id}`]);
  });
});
