/**
 * What the checkout shows in each state: stages, payments, brand, fees, the way back, and the
 * buttons of test invoices.
 */

import { describe, expect, test } from 'bun:test';
import QRCode from 'qrcode';
import type { CheckoutSources } from '../../../../src/adapters/http/checkout/data.ts';
import { searchText } from '../../../../src/adapters/http/checkout/display-names.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { aBrand } from '../../../support/builders.ts';
import { elementsOf, openedPage, paymentOf, wordsOf } from '../../../support/http/checkout-page.ts';

const USDT = { amount: 49.9, fiat_currency: 'EUR', asset: 'usdt_ethereum' };
const LINKS = { on_paid_url: 'https://shop.example/thanks', on_cancel_url: 'https://shop.example/back' };
const BRAND = aBrand({ name: 'Fern & Oak', accent: '#aa3300', logoDigest: 'ab'.repeat(32) });
const funds = (pendingUnits: bigint, creditedUnits = 0n) => ({ pendingUnits, creditedUnits, heldUnits: 0n });

async function shown(change: Partial<Invoice>, sources: Partial<CheckoutSources> = {}, body: object = {}) {
  const { page } = await openedPage({ ...USDT, ...LINKS, ...body }, { change, sources });
  const { text } = await page();
  const [main] = elementsOf(text, 'main');
  return { text, words: wordsOf(text), main: main?.attributes ?? {} };
}

describe('the stage that main tells', () => {
  const stages: [status: Invoice['status'], stage: string, open: string][] = [
    ['created', 'waiting', 'true'],
    ['confirming', 'seen', 'true'],
    ['partially_paid', 'partial', 'true'],
    ['success', 'paid', 'false'],
    ['paid_over', 'over', 'false'],
    ['expired', 'expired', 'false'],
    ['cancelled', 'late', 'false'],
    ['high_risk', 'review', 'true'],
    // its payment may be in a block after all
    ['failed', 'failed', 'true'],
    ['refunded', 'refunded', 'false'],
  ];
  test.each(stages)('%s is %s, watched: %s', async (status, stage, open) => {
    const { main } = await shown({ status });
    expect([main['data-status'], main['data-open']]).toEqual([stage, open]);
  });

  test('without a currency it is choose', async () => {
    const { page } = await openedPage({ amount: 5 });
    expect(elementsOf((await page()).text, 'main')[0]?.attributes['data-status']).toBe('choose');
  });

  test('the end of the time is told before it is recorded, and the page goes on watching', async () => {
    const { page, clock, application, id } = await openedPage(USDT);
    clock.advance(3_600_000);
    const stage = async () => {
      const { 'data-status': status, 'data-open': open } =
        elementsOf((await page()).text, 'main')[0]?.attributes ?? {};
      return [status, open];
    };
    expect(await stage()).toEqual(['expired', 'true']);
    application.setInvoice(id, { status: 'partially_paid', funds: funds(0n, 20_000_000n) });
    expect(await stage()).toEqual(['late', 'true']);
  });

  test('it carries the state that the live endpoint tells', async () => {
    const { page, call, path } = await openedPage(USDT);
    const { state } = (await call('GET', `${path}/status`, { key: null })).json;
    const { 'data-state': ours, 'data-live': live } =
      elementsOf((await page()).text, 'main')[0]?.attributes ?? {};
    expect([ours, live]).toEqual([state, path]);
  });
});

describe('paying', () => {
  test('the code and the wallet’s link carry the same payment, what is left of it after a part', async () => {
    const uri =
      'ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=0x52908400098527886E0F7030069857D2E4169EE7&uint256=35998890';
    const { text } = await shown({ status: 'partially_paid', funds: funds(0n, 20_000_000n) });
    expect(elementsOf(text, 'a[data-wallet]')[0]?.attributes.href?.replaceAll('&amp;', '&')).toBe(uri);
    expect(text).toContain(await QRCode.toString(uri, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' }));
    expect(elementsOf(text, '[data-field="amount"] button')[0]?.attributes['data-copy']).toBe('35.99889');
  });

  test('on a test network they are for its chain, not for the main one', async () => {
    const { text } = await shown({}, { chainId: () => 11_155_111 });
    expect(elementsOf(text, 'a[data-wallet]')[0]?.attributes.href).toContain('@11155111/transfer?');
  });

  test('an address that no link can open has no such link', async () => {
    const { text } = await shown({}, {}, { asset: 'usdt_tron' });
    expect(elementsOf(text, '[data-field="address"]')).toHaveLength(1);
    expect(elementsOf(text, 'a[data-wallet]')).toHaveLength(0);
  });

  test('XRP has account and tag as the main way, and the X-address beside it', async () => {
    const opened = await openedPage({ ...USDT, asset: 'xrp_xrp' });
    const address = opened.application.tables.invoices[0]?.addressTo ?? '';
    Object.assign(opened.application, { partsOf: () => ({ account: 'rAccount', tag: 0 }) });
    const { text } = await opened.page();
    const copied = (name: string) =>
      elementsOf(text, `[data-field="${name}"] button`)[0]?.attributes['data-copy'];
    expect(['address', 'tag', 'xaddress'].map(copied)).toEqual(['rAccount', '0', address]);
    expect(wordsOf(text)).toContain('Without the tag, your payment cannot be recognized.');
  });

  test('TON needs no memo, and says so', async () => {
    expect((await shown({}, {}, { asset: 'ton_ton' })).words).toContain('No comment or memo is needed');
    expect((await shown({})).words).not.toContain('memo');
  });

  test('P2: a coin that was renamed is shown by both names, and found by the new one', async () => {
    const { words } = await shown({}, {}, { asset: 'ton_ton' });
    expect(words).toMatch(/[0-9] TON \(GRAM\)/);
    expect(words).toContain('Send only TON (GRAM)');
    expect(searchText(new AssetCatalog().require('ton_ton'))).toContain('gram ton');
    expect((await shown({})).words).not.toContain('GRAM');
  });

  test('a top-up takes any amount; once something came it is done', async () => {
    const open = await shown({}, {}, { billing_type: 'VARY' });
    expect(open.words).toContain('Suggested amount');
    expect(open.words).toContain('You may send any amount from 2 USDT.');
    const done = await shown(
      { status: 'partially_paid', funds: funds(0n, 20_000_000n) },
      {},
      { billing_type: 'VARY' },
    );
    expect(done.main['data-status']).toBe('paid');
    expect(done.words).toContain('20 USDT');
    expect(elementsOf(done.text, '[data-after]')).toHaveLength(0);
  });

  test('a currency that may still be changed stands beside the others, without itself', async () => {
    const opened = await openedPage({ ...USDT, accepted_coins: ['usdt_ethereum', 'usdt_tron', 'btc'] });
    const all = opened.application.catalog.all;
    Object.assign(opened.application, {
      payableAssets: () => all.filter(({ key }) => /^(usdt_(ethereum|tron)|btc_bitcoin)$/.test(key)),
    });
    const { text } = await opened.page();
    const offered = elementsOf(text, 'details form[action$="/currency"] button[name="asset"]');
    expect(offered.map(({ attributes }) => attributes.value)).toEqual(['btc_bitcoin', 'usdt_tron']);
  });

  test('the network fee is told where it is known, a tiny one not to the digit', async () => {
    const fees: Record<string, bigint> = { btc_bitcoin: 420_000n, sol_solana: 900n };
    const { page } = await openedPage(
      { amount: 5 },
      { sources: { feeHint: ({ key }) => fees[key] ?? null } },
    );
    const words = wordsOf((await page()).text);
    expect(words).toContain('network fee about $0.42');
    expect(words).toContain('network fee under $0.01');
    expect(words.match(/network fee/g)).toHaveLength(2);
  });
});

describe('payments', () => {
  const seen = { status: 'confirming', funds: funds(20_000_000n) } as const;
  const telling = (change: Parameters<typeof paymentOf>[0], needed: number | null) =>
    shown(seen, { payments: async () => [paymentOf(change)], confirmations: () => needed });

  test('count their confirmations up to what is needed', async () => {
    expect((await telling({}, 12)).words).toContain('5 of 12 confirmations');
    expect((await telling({ head: 900 }, 12)).words).toContain('12 of 12 confirmations');
    expect((await telling({ head: null }, 12)).words).toContain('1 of 12 confirmations');
    expect((await telling({ head: 99 }, 1)).words).toContain('1 of 1 confirmation');
  });

  test('count alone where the node’s own word is awaited', async () => {
    const { text, words } = await telling({}, null);
    expect(words).toContain('Being confirmed: 5 confirmations so far');
    expect(elementsOf(text, 'progress')).toHaveLength(0);
  });

  test('say that they wait for a block, and that they are final', async () => {
    expect((await telling({ height: null }, 12)).words).toContain('waiting for the first block');
    expect((await telling({ final: true }, 12)).words).toContain('Confirmed');
  });

  test('give their id to copy, and lead to the explorer where there is one', async () => {
    const { txid } = paymentOf();
    const payments = async () => [paymentOf()];
    const linked = await shown(seen, { payments, explorer: (_, id) => `https://explorer.example/${id}` });
    expect(elementsOf(linked.text, '[data-payment] a')[0]?.attributes.href).toEndWith(txid);
    expect(elementsOf(linked.text, '[data-payment] button')[0]?.attributes['data-copy']).toBe(txid);
    for (const explorer of [() => null, () => 'javascript:alert(1)']) {
      const { text } = await shown(seen, { payments, explorer });
      expect(elementsOf(text, '[data-payment]')[0]?.attributes['data-txid']).toBe(txid);
      expect(elementsOf(text, '[data-payment] a')).toHaveLength(0);
      expect(elementsOf(text, '[data-payment] button')[0]?.attributes['data-copy']).toBe(txid);
    }
  });

  test('a part on its way is told as one', async () => {
    const words = 'Part of the amount is on its way.';
    expect((await shown(seen)).words).toContain(words);
    expect((await shown({ ...seen, funds: funds(55_998_890n) })).words).not.toContain(words);
    expect((await shown({ ...seen, funds: funds(55_998_889n) })).words).toContain(words);
    const tolerant = { ...seen, funds: funds(55_998_889n), tolerancePpm: 10_000n };
    expect((await shown(tolerant)).words).not.toContain(words);
  });
});

describe('the way back', () => {
  test('success leads there after 5 seconds', async () => {
    const { text } = await shown({ status: 'success' });
    const [link] = elementsOf(text, 'a[data-redirect]');
    expect([link?.attributes.href, link?.attributes['data-after']]).toEqual([LINKS.on_paid_url, '5']);
    expect(elementsOf(text, '#countdown[hidden] #stay')).toHaveLength(1);
  });

  test.each(['created', 'expired', 'cancelled', 'failed'] as const)(
    '%s waits to be asked',
    async (status) => {
      const { text } = await shown({ status });
      const [link] = elementsOf(text, 'a[data-redirect]');
      expect(link?.attributes.href).toBe(LINKS.on_cancel_url);
      expect(elementsOf(text, '[data-after], #countdown')).toHaveLength(0);
    },
  );

  test('names the merchant, whose logo and colour come from our own host', async () => {
    const { text, words } = await shown({ status: 'success' }, { brand: async () => BRAND });
    expect(words).toContain('Back to Fern & Oak');
    expect(elementsOf(text, 'header img')[0]?.attributes.src).toBe(
      `/checkout/assets/logo/${BRAND.logoDigest}`,
    );
    const sheets = elementsOf(text, 'link[rel="stylesheet"]').map(({ attributes }) => attributes.href);
    expect(sheets[1]).toBe('/checkout/assets/accent-aa3300.css');
  });

  test('money that comes too late can be found, and the page says what to do', async () => {
    for (const status of ['expired', 'cancelled'] as const)
      expect((await shown({ status })).words).toContain('If you sent it, the merchant can find it.');
    expect((await shown({ status: 'success' })).words).not.toContain('If you sent it');
  });
});

describe('a test invoice', () => {
  test('says so, and is paid by its buttons', async () => {
    for (const [outcome, stage] of [
      ['paid', 'paid'],
      ['partial', 'partial'],
      ['over', 'over'],
    ] as const) {
      const { page, send, path } = await openedPage(USDT, { sandbox: true });
      const { text } = await page();
      const buttons = elementsOf(text, 'form[action$="/simulate"] button[name="simulate"]');
      expect(buttons.map(({ attributes }) => attributes.value)).toEqual(['paid', 'partial', 'over']);
      const answer = await send('simulate', `simulate=${outcome}`);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
      expect(elementsOf((await page()).text, 'main')[0]?.attributes['data-status']).toBe(stage);
    }
  });

  test('takes nothing else, and nothing from elsewhere', async () => {
    const { send } = await openedPage(USDT, { sandbox: true });
    expect((await send('simulate', 'simulate=failed')).status).toBe(400);
    expect((await send('simulate', 'simulate=paid', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('has no buttons when it is done, and a real invoice never', async () => {
    const done = await openedPage(USDT, { sandbox: true, change: { status: 'success' } });
    const real = await openedPage(USDT);
    for (const { page } of [done, real])
      expect(elementsOf((await page()).text, 'form[action$="/simulate"]')).toHaveLength(0);
    expect((await real.send('simulate', 'simulate=paid')).status).toBe(400);
  });
});
