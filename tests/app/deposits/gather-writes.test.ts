/** What repositories hold back, and what makes them write it. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { gatherWrites } from '../../../src/app/deposits/gather-writes.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { aDeposit, anEntry, anId, anInvoice } from '../../support/builders.ts';

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
  insertAll: told(`${name}.insertAll`, () => undefined),
  saveAll: told(`${name}.saveAll`, (given: readonly { id: string }[]) => {
    for (const row of given) stored.set(row.id, row);
  }),
});

const gathering = () =>
  gatherWrites({
    invoices: rows('invoices'),
    deposits: rows('deposits'),
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
