/**
 * Wallets of a browser pay invoices: found by their standards, asked for the right network and sum,
 * and never believed. On real or simulated chains: what a wallet sends is what the service sees.
 */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { Transaction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { violations } from '../support/browser/axe.ts';
import { sees, sticksOut } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import {
  mockEvmWallet,
  mockStandardWallet,
  mockTronLink,
  WalletError,
} from '../support/browser/mock-wallets.ts';
import { shoot } from '../support/browser/screenshots.ts';
import { stageBrowser } from '../support/browser/stage.ts';
import { anvilAvailable } from '../support/evm/anvil.ts';
import { stageAnvilJourney } from '../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { stageSolanaJourney } from '../support/solana/journey.ts';
import type { Json, TestService } from '../support/test-service.ts';
import { stageTronJourney } from '../support/tron/journey.ts';

/** Ids of the first blocks of Tron's main network and of a test network. */
const MAIN = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
const NILE = '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc';
const SMALL = { width: 360, height: 740 };
const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());

const urlOf = (it: TestService, invoice: Json): string => `${it.url}${new URL(invoice.payment_url).pathname}`;
const payer = (page: Page, wallet: string) =>
  page.locator('#wallets').getByRole('button', { name: `Pay with ${wallet}` });
const said = async (page: Page, text: string) => page.locator('#wallets p', { hasText: text }).waitFor();

describe.skipIf(!(ready && needs('anvil', anvilAvailable())))('a wallet of an EVM chain', () => {
  const stage = stageBrowser();
  const on = stageAnvilJourney();
  beforeAll(() => stage.allow(on.it.url));

  /** A wallet that sends what it is asked from an account of anvil. */
  function honest(calls: [string, readonly unknown[]][], { chain = '0x7a69' } = {}) {
    let at = chain;
    return async (method: string, params: readonly unknown[]): Promise<unknown> => {
      calls.push([method, params]);
      if (method === 'eth_requestAccounts') return [on.lab.anvil.accounts[3]?.address];
      if (method === 'eth_chainId') return at;
      if (method === 'wallet_switchEthereumChain') {
        at = (params[0] as { chainId: string }).chainId;
        return null;
      }
      return on.lab.anvil.rpc(method, params);
    };
  }

  for (const asset of ['eth_ethereum', 'usdt_ethereum'])
    test(`pays ${asset} after it changed to the right network, and the page sees that by itself`, async () => {
      const invoice = await on.create({ asset });
      const customer = on.lab.anvil.accounts[3]?.address ?? '';
      await on.payUsdt(customer, '100');
      await on.mine();
      const page = await stage.visitor({ viewport: SMALL });
      const calls: [string, readonly unknown[]][] = [];
      await mockEvmWallet(page, 'Fox', honest(calls, { chain: '0x1' }));
      await mockEvmWallet(page, 'Badger', () => Promise.reject(new WalletError(4001)));
      await page.goto(urlOf(on.it, invoice));
      await payer(page, 'Badger').waitFor();
      expect([await violations(page), await sticksOut(page)]).toEqual([[], []]);
      await shoot(page, `wallets-${asset}-phone-light`);

      await payer(page, 'Badger').click();
      await said(page, 'Nothing was sent.');
      await payer(page, 'Fox').click();
      await said(page, 'Sent.');
      expect(calls.map(([method]) => method)).toEqual([
        ...['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId'],
        'eth_sendTransaction',
      ]);
      expect(await payer(page, 'Fox').isVisible()).toBe(false);
      await page.reload();
      await said(page, 'Sent.');

      await on.mine();
      await on.it.settle();
      await sees(page, 'seen');
      await on.mineToFinality();
      await sees(page, 'paid');
      expect(await on.read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
      });
    });

  test('is not believed: the page waits for the chain, and lets the customer pay again', async () => {
    const invoice = await on.create();
    const page = await stage.visitor();
    const answers: Readonly<Record<string, unknown>> = {
      ...{ eth_requestAccounts: ['0x1111111111111111111111111111111111111111'], eth_chainId: '0x7a69' },
      eth_sendTransaction: `0x${'ab'.repeat(32)}`,
    };
    await mockEvmWallet(page, 'Liar', (method) => answers[method]);
    await page.goto(urlOf(on.it, invoice));
    await payer(page, 'Liar').click();
    await said(page, 'Sent.');
    await on.mine();
    await on.it.settle();
    await sees(page, 'waiting');
    expect((await on.read(invoice.order_id)).status).toBe('created');
    // The page changes, since its network is read late: what was sent is not shown yet.
    const health = on.it.service.dependencies.chainHealth;
    const present = health.get('ethereum') ?? null;
    if (present === null) throw new Error('the chain was not looked at');
    const late = spyOn(health, 'get').mockReturnValue({ ...present, late: true });
    await page.reload();
    await said(page, 'Sent.');
    expect(await payer(page, 'Liar').isVisible()).toBe(false);
    late.mockRestore();
    await page.getByRole('button', { name: 'Pay again' }).click();
    expect(await payer(page, 'Liar').isEnabled()).toBe(true);
  });

  test('stays unasked where there is none, and on a wrong network', async () => {
    const invoice = await on.create();
    const plain = await stage.visitor();
    const asked: string[] = [];
    plain.on('request', (request) => asked.push(request.url()));
    await plain.goto(urlOf(on.it, invoice));
    await sees(plain, 'waiting');
    expect(await plain.locator('#wallets').isVisible()).toBe(false);
    expect(asked.filter((url) => url.includes('/wallets-'))).toEqual([]);

    const page = await stage.visitor();
    const calls: [string, readonly unknown[]][] = [];
    const stubborn = honest(calls, { chain: '0x1' });
    await mockEvmWallet(page, 'Mule', (method, params) => {
      if (method === 'wallet_switchEthereumChain') throw new WalletError(4902);
      return stubborn(method, params);
    });
    await page.goto(urlOf(on.it, invoice));
    await payer(page, 'Mule').click();
    await said(page, 'switch your wallet to Ethereum');
    expect(calls.map(([method]) => method)).not.toContain('eth_sendTransaction');
  });
});

describe.skipIf(!ready)('a wallet of the Wallet Standard', () => {
  const stage = stageBrowser();
  const on = stageSolanaJourney();
  beforeAll(() => stage.allow(on.it.url));

  for (const asset of ['sol_solana', 'usdc_solana'])
    test(`pays ${asset} with the transaction of the server`, async () => {
      const invoice = await on.create({ asset });
      const { payer: customer, ledger } = on.lab;
      const page = await stage.visitor({ viewport: SMALL });
      await mockStandardWallet(
        page,
        { name: 'Ghost', address: customer.publicKey.toBase58(), chain: 'solana:devnet' },
        (method, [base64]) => {
          if (method !== 'send') return null;
          const transaction = Transaction.from(Buffer.from(String(base64), 'base64'));
          transaction.sign(customer);
          ledger.submit(transaction.serialize());
          return null;
        },
      );
      await page.goto(urlOf(on.it, invoice));
      await payer(page, 'Ghost').click();
      await said(page, 'Sent.');
      await on.mineToFinality();
      await sees(page, 'paid');
      expect(await on.read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
      });
    });
});

describe.skipIf(!ready)('TronLink', () => {
  const stage = stageBrowser();
  const on = stageTronJourney();
  beforeAll(() => stage.allow(on.it.url));

  test('is asked for a transfer of the token to the address, and for nothing on another network', async () => {
    const invoice = await on.create({ asset: 'usdt_tron' });
    const page = await stage.visitor({ viewport: SMALL });
    const calls: { [method: string]: readonly unknown[]; triggerSmartContract: readonly unknown[] } = {
      triggerSmartContract: [],
    };
    let firstBlock = NILE;
    await mockTronLink(page, async (method, params) => {
      calls[method] = params;
      if (method === 'getBlock') return { blockID: firstBlock };
      if (method === 'triggerSmartContract') return { transaction: { unsigned: true } };
      if (method === 'sign') return { signed: true };
      if (method !== 'sendRawTransaction') return { code: 200 };
      await on.pay(invoice);
      return { result: true };
    });
    await page.goto(urlOf(on.it, invoice));
    await payer(page, 'TronLink').click();
    await said(page, 'switch your wallet to Tron');
    expect(calls).not.toHaveProperty('sign');
    firstBlock = MAIN;
    await payer(page, 'TronLink').click();
    await said(page, 'Sent.');
    const [contract, method, options, values, from] = calls.triggerSmartContract;
    expect([method, options, from]).toEqual([
      ...['transfer(address,uint256)', { feeLimit: 100_000_000 }, 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
    ]);
    expect(contract).toMatch(/^T/);
    expect(values).toEqual([
      { type: 'address', value: invoice.address_to },
      { type: 'uint256', value: String(Math.round(invoice.amount * 1e6)) },
    ]);
    await on.mineToFinality();
    await sees(page, 'paid');
  });
});
