/**
 * A token that only the configuration lists, on a real EVM node: paid, shown, credited, swept and
 * paid out as a built-in one.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { CONFIRMATIONS, type ServiceOnAnvil, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { TOKEN_SUPPLY } from '../../support/evm/evm-lab.ts';
import { elementsOf, wordsOf } from '../../support/http/checkout-page.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type Json, startTestService } from '../../support/test-service.ts';

const available = needs('anvil', anvilAvailable()) && needs('postgres', postgresAvailable());
const GOLD = 'gold1_ethereum';
const DECIMALS = 3;

describe.skipIf(!available)('a token that only the configuration lists', () => {
  const journey = stageAnvilJourney();
  let contract: string;
  let on: ServiceOnAnvil;
  beforeAll(async () => {
    const { lab } = journey;
    contract = await lab.deployed('NamedToken', [DECIMALS, TOKEN_SUPPLY, 'Gold.1']);
    on = await journey.open({
      chains: { ethereum: { rpc: [lab.anvil.url], chain_id: 31_337, confirmations: CONFIRMATIONS } },
      assets: {
        [GOLD]: {
          ...{ chain: 'ethereum', contract, decimals: DECIMALS, symbol: 'Gold.1', name: 'Lab gold' },
          rate: { USD: '2.5' },
        },
        wrong_ethereum: {
          ...{ chain: 'ethereum', contract: lab.contracts.spoofing, decimals: 6, symbol: 'USDC' },
          rate: 'USDC',
        },
      },
    });
  });

  const pay = (to: string, amount: string): Promise<string> =>
    journey.lab.send({
      to: contract,
      data: journey.lab.call('NamedToken', 'transfer', [to, unitsOf(amount, DECIMALS)]),
    });
  async function finality(): Promise<void> {
    await journey.mine(CONFIRMATIONS);
    await on.it.settle();
    await on.it.settle();
  }
  const get = async (path: string, key = on.merchant.live): Promise<Json> =>
    (await on.it.call(key, 'GET', `/api/v2/${path}`)).body.result;

  test('is in the catalog, with its rate; one whose contract says another symbol is not offered', async () => {
    const assets: Json[] = await get('assets');
    expect(assets.find(({ asset }) => asset === GOLD)).toEqual({
      ...{ asset: GOLD, chain: 'ethereum', enabled: true, min_amount: 2, network_family: 'evm' },
      ...{ symbol: 'Gold.1', type: 'token' },
    });
    expect(assets.find(({ asset }) => asset === 'wrong_ethereum')).toMatchObject({ enabled: false });
    expect(await get('rates?assets=gold1&base=EUR')).toMatchObject({ rates: { [GOLD]: '5' } });
    const told = on.lines.filter(({ fields }) => fields.asset === 'wrong_ethereum');
    expect(told[0]?.fields.reason).toContain('says the symbol "USDT", the catalog "USDC"');
  });

  test('is paid, shown to the customer, credited, swept and paid out; chain and books agree', async () => {
    const { chains, dependencies } = on.it.service;
    const treasury = treasuryChains(chains, dependencies).get('ethereum')!;
    const hot = treasury.deriver.hotWallet()!;
    await journey.payEth(hot, '1');
    const invoice = await on.create({ asset: 'gold1', amount: 100, fee_bearer: 'merchant' });
    expect(invoice).toMatchObject({ asset: GOLD, amount: 40, type: 'token' });
    const page = await (await fetch(`${on.it.url}/checkout/${invoice.external_id}`)).text();
    expect(wordsOf(page)).toContain('Send only Gold.1');
    const links = elementsOf(page, 'a[data-wallet]').map(({ attributes }) => attributes.href);
    expect(links).toEqual([
      `ethereum:${contract}@31337/transfer?address=${invoice.address_to}&amp;uint256=40000`,
    ]);
    const txid = await pay(invoice.address_to, '40');
    await finality();
    expect(await on.read(invoice.order_id)).toMatchObject({ status: 'success', received_amount: 40, txid });
    expect((await on.balance()).available).toBe(99);

    const { body } = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', {
      ...{ user_id: 'customer', family: 'evm' },
    });
    await pay(body.result.address, '4');
    await finality();
    const [opened] = await get('invoices');
    expect(opened).toMatchObject({ asset: GOLD, status: 'success', received_amount: 4, user_id: 'customer' });

    const settings = { sharePpm: 500_000n, limits: { floorUnits: new Map() } };
    for (let round = 0; round < 4; round += 1) {
      await sweeper(dependencies, on.it.service.sending.chains.get('ethereum')!, settings).step();
      await on.it.settle();
      await finality();
    }
    const swept = await treasury.sender.balances(hot, [GOLD]);
    expect(swept.units.get(GOLD)).toBe(44_000n);

    const address = journey.lab.freshAddress();
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    const order = { address, amount: 10.125, asset: GOLD };
    const ordered = await on.it.call(on.merchant.live, 'POST', '/api/v2/payouts', order, headers);
    expect(ordered.body).toMatchObject({ ok: true });
    await on.it.settle();
    await finality();
    expect(await get(`payouts/${ordered.body.result.order_id}`)).toMatchObject({
      ...{ status: 'success', currency: GOLD, amount: 10.125 },
    });
    expect((await treasury.sender.balances(address, [GOLD])).units.get(GOLD)).toBe(10_125n);
    const found = await reconcileChain(dependencies, treasury, { height: null, everyAddress: true });
    expect(found.differences.filter(({ asset }) => asset === GOLD)).toEqual([]);
    await on.booksAreRight();
  });

  test('is there in the sandbox', async () => {
    const body = { asset: GOLD, amount: 10, fiat_currency: 'USD', fee_bearer: 'merchant' };
    const made = await on.it.call(on.merchant.sandbox, 'POST', '/api/v2/invoices', body);
    expect(made.body.result).toMatchObject({ asset: GOLD, amount: 4 });
    const path = `/api/v2/invoices/${made.body.result.order_id}/simulate`;
    const paid = await on.it.call(on.merchant.sandbox, 'POST', path, { status: 'success' });
    expect(paid.body.result.invoice).toMatchObject({ status: 'success', received_amount: 4 });
  });

  test('keeps the service from starting when its row is gone and records name it', async () => {
    const { databaseUrl, service } = on.it;
    const { dataDir } = service.config;
    await expect(startTestService({ databaseUrl, dataDir })).rejects.toThrow(
      `the database has records in ${GOLD}. Put assets.${GOLD} back`,
    );
  });
});
