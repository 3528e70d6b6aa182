/** What the page gives to wallets of the browser, and the transactions that some of them need. */
import { describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import type { WalletPayment } from '../../../../src/ports/chains/wallet-payments.ts';
import { elementsOf, openedPage } from '../../../support/http/checkout-page.ts';

const BODY = { amount: 25, fiat_currency: 'USD' };
const NETWORK = { walletNetwork: () => '0x1' };

type Opened = Awaited<ReturnType<typeof openedPage>>;

async function storedAt({ queries }: Opened['application'], path: string) {
  const invoice = await queries.invoiceByExternalId(path.slice('/checkout/'.length));
  const { price = null, addressTo = null } = invoice ?? {};
  if (price === null || addressTo === null) throw new Error('the invoice has no asset');
  return { price, addressTo };
}

async function walletsOf(asset: string, options: Parameters<typeof openedPage>[1] = { sources: NETWORK }) {
  const it = await openedPage({ ...BODY, asset }, options);
  return {
    ...it,
    found: elementsOf((await it.page()).text, '#wallets').map(({ attributes }) => attributes)[0],
  };
}

describe('a page that is to be paid', () => {
  test('gives wallets the network, the exact amount and the address', async () => {
    const { found, path, application } = await walletsOf('usdt_ethereum');
    const invoice = await storedAt(application, path);
    expect(found).toMatchObject({
      ...{ 'data-kind': 'eip6963', 'data-network': '0x1', 'data-to': invoice.addressTo },
      'data-units': String(invoice.price.dueUnits),
      'data-text-pay': 'Pay with {wallet}',
    });
    expect(found?.['data-contract']).toMatch(/^0x/);
    expect(found?.['data-script']).toMatch(/\/assets\/page\/wallets-[0-9a-f]{16}\.js$/);
    expect((await walletsOf('eth_ethereum')).found?.['data-contract']).toBe('');
    expect((await walletsOf('usdt_tron')).found?.['data-kind']).toBe('tronlink');
    expect((await walletsOf('sol_solana')).found?.['data-kind']).toBe('wallet_standard');
  });

  test('offers none where wallets of a browser cannot pay', async () => {
    for (const asset of ['btc_bitcoin', 'xrp_xrp', 'ton_ton'])
      expect([asset, (await walletsOf(asset)).found]).toEqual([asset, undefined]);
    expect((await walletsOf('usdt_ethereum', {})).found).toBeUndefined();
    expect((await walletsOf('usdt_ethereum', { sandbox: true, sources: NETWORK })).found).toBeUndefined();
    const over = { sources: NETWORK, change: { status: 'success' as const } };
    expect((await walletsOf('usdt_ethereum', over)).found).toBeUndefined();
  });
});

describe('the transaction for a wallet', () => {
  async function asked(
    from: string,
    answer: (payment: WalletPayment) => Promise<Uint8Array | null>,
    options: { change?: object; limit?: number } = {},
  ) {
    const payments: WalletPayment[] = [];
    const walletTransaction = (chain: string, payment: WalletPayment) => {
      expect(chain).toBe('solana');
      payments.push(payment);
      return answer(payment);
    };
    const it = await openedPage(
      { ...BODY, asset: 'sol_solana' },
      {
        sources: { walletNetwork: () => 'main', walletTransaction },
        ...(options.change === undefined ? {} : { change: options.change }),
        ...(options.limit === undefined ? {} : { config: { rateLimitPerMinute: options.limit } }),
      },
    );
    const get = () =>
      it.call('GET', `${it.path}/wallet-transaction?from=${encodeURIComponent(from)}`, { key: null });
    return { ...it, payments, get, first: await get() };
  }
  const made = async () => Uint8Array.of(1, 2, 3);

  test('pays what is missing to the address of the invoice', async () => {
    const { first, payments, application, path } = await asked('From', made);
    expect([first.status, first.json]).toEqual([200, { transaction: 'AQID' }]);
    const { addressTo: to, price } = await storedAt(application, path);
    expect(payments).toEqual([{ asset: 'sol_solana', from: 'From', to, units: price.dueUnits }]);
    expect(first.headers.get('cache-control')).toBe('no-store');
  });

  test('is refused for what is no address, for an invoice that is not to be paid, and without a node', async () => {
    expect((await asked('nonsense', async () => null)).first.status).toBe(422);
    expect((await asked('', made)).first.status).toBe(422);
    expect((await asked('x'.repeat(101), made)).first.status).toBe(422);
    expect((await asked('From', made, { change: { status: 'expired' } })).first.status).toBe(404);
    const away = await asked('From', () => Promise.reject(new ChainUnavailable('no node answers')));
    expect([away.first.status, away.first.headers.get('retry-after')]).toEqual([503, '5']);
  });

  test('is made ten times a minute for a network', async () => {
    const it = await asked('From', made, { limit: 1_000 });
    const more = [];
    for (let nth = 0; nth < 10; nth += 1) more.push((await it.get()).status);
    expect(more).toEqual([...Array<number>(9).fill(200), 429]);
  });
});
