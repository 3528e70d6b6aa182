/**
 * Money in a token that is known and not listed, on a real EVM node: told to the operator, listed
 * by him, and sent back.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AbiCoder, keccak256 } from 'ethers';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { type EvmLab, openEvmLab } from '../../support/evm/evm-lab.ts';
import { merchantJourney } from '../../support/merchant-journey.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';
import { startWebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const available = needs('anvil', anvilAvailable()) && needs('postgres', postgresAvailable());
const USDS = 'usds_ethereum';
const CONTRACT = '0xdC035D45d973E3EC169d2276DDab16f1e407384F';
const CONFIRMATIONS = 2;
/** Where the code of the test token keeps its balances. */
const BALANCES_SLOT = 1;
const SYMBOL_SLOT = 3;
/** Code that reverts whatever it is asked. */
const REVERTING = '0x60006000fd';

describe.skipIf(!available)('a payment in a token that is not listed', () => {
  const clock = testClock();
  let lab: EvmLab;
  let database: TestDatabase;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let it: TestService;
  const receiver = startWebhookReceiver();

  const start = async (assets: Json = {}): Promise<TestService> =>
    startTestService({
      file: { chains: { ethereum: { rpc: [lab.anvil.url], confirmations: CONFIRMATIONS } }, assets },
      ...{ databaseUrl: database.url, dataDir: directory.path, overrides: { clock } },
    });
  const usds = (method: string, args: readonly unknown[]) =>
    lab.send({ to: CONTRACT, data: lab.call('NamedToken', method, args) });
  async function finality(): Promise<void> {
    await lab.mine(CONFIRMATIONS + 1);
    const { timestamp } = await lab.anvil.rpc<{ timestamp: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    clock.advance(Math.max(0, Number(timestamp) - clock.now().getTime() / 1000));
    await it.settle();
    await it.settle();
  }

  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
  async function setBalance(address: string, units: bigint): Promise<void> {
    const place = AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [address, BALANCES_SLOT]);
    await lab.anvil.rpc('anvil_setStorageAt', [CONTRACT, keccak256(place), word(units)]);
  }

  /** The token's code stands where the main network has it. */
  async function placeToken(): Promise<void> {
    const made = await lab.deployed('NamedToken', [18, 0n, 'USDS']);
    await lab.anvil.rpc('anvil_setCode', [CONTRACT, await lab.anvil.rpc('eth_getCode', [made, 'latest'])]);
    await setBalance(lab.anvil.accounts[0]!.address, 10n ** 24n);
    const symbol = await lab.anvil.rpc('eth_getStorageAt', [made, word(BigInt(SYMBOL_SLOT)), 'latest']);
    await lab.anvil.rpc('anvil_setStorageAt', [CONTRACT, word(BigInt(SYMBOL_SLOT)), symbol]);
  }

  beforeAll(async () => {
    [lab, database, directory] = [
      await openEvmLab({ chainId: 1 }),
      await testDatabase(),
      await temporaryDirectory(),
    ];
    await placeToken();
    it = await start();
    await finality();
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.anvil.stop();
    await database.drop();
    await directory.remove();
  });

  test('E2: is told, is not credited, and goes back once the token is listed', async () => {
    const on = await merchantJourney(it, receiver);
    const invoice = await on.create({ asset: 'eth_ethereum' });
    await usds('transfer', [invoice.address_to, unitsOf('30', 18)]);
    await finality();
    const [stray] = await on.depositsTo(invoice.address_to);
    expect(stray).toMatchObject({
      asset: USDS,
      status: 'stray',
      units: unitsOf('30', 18),
      strayReason: 'other_asset',
    });
    expect(await creditStray(it.service.dependencies)(stray!.id)).toMatchObject({
      error: { code: 'INVALID_TRANSITION', message: expect.stringContaining('is not listed') },
    });
    expect((await on.read(invoice.order_id)).status).toBe('created');
    const differences = async (unreadable: Json = []) => {
      const { dependencies, sending } = it.service;
      const found = await reconcileChain(dependencies, sending.chains.get('ethereum')!, { height: null });
      expect(found).toMatchObject({ unavailable: null, unreadable });
      return found.differences;
    };
    expect(await differences()).toEqual([]);
    const code = await lab.anvil.rpc('eth_getCode', [CONTRACT, 'latest']);
    await lab.anvil.rpc('anvil_setCode', [CONTRACT, REVERTING]);
    await finality();
    expect(await differences([{ asset: USDS, listed: false }])).toEqual([]);
    await lab.anvil.rpc('anvil_setCode', [CONTRACT, code]);
    await setBalance(invoice.address_to, unitsOf('29', 18));
    await finality();
    expect(await differences()).toMatchObject([
      { kind: 'unrecorded_outgoing', asset: USDS, address: stray!.address, foundUnits: unitsOf('29', 18) },
    ]);
    await setBalance(invoice.address_to, unitsOf('30', 18));
    await finality();

    await it.stop();
    it = await start({
      [USDS]: {
        ...{ chain: 'ethereum', contract: CONTRACT, decimals: 18, symbol: 'USDS', rate: { USD: '1' } },
      },
    });
    const { dependencies, sending } = it.service;
    const treasury = sending.chains.get('ethereum')!;
    expect(await creditStray(dependencies)(stray!.id)).toMatchObject({
      ok: true,
      value: { status: 'credited' },
    });
    await lab.send({ to: treasury.deriver.hotWallet()!, value: unitsOf('1', 18) });
    await finality();
    const settings = { sharePpm: 500_000n, limits: { floorUnits: new Map() } };
    for (let round = 0; round < 4; round += 1) {
      await sweeper(dependencies, treasury, settings).step();
      await it.settle();
      await finality();
    }
    const sender = lab.freshAddress();
    const order = { address: sender, amount: 29, asset: USDS };
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    const ordered = await it.call(on.merchant.live, 'POST', '/api/v2/payouts', order, headers);
    expect(ordered.body).toMatchObject({ ok: true });
    await it.settle();
    await finality();
    expect((await treasury.sender.balances(sender, [USDS])).units.get(USDS)).toBe(unitsOf('29', 18));
    expect(await dependencies.operatorQueries.reconciliationFaults()).toEqual([]);

    await it.stop();
    it = await start();
    await usds('transfer', [invoice.address_to, unitsOf('3', 18)]);
    await finality();
    const open = await it.service.dependencies.operatorQueries.deposits({
      ...{ statuses: ['stray'], sandbox: null, limit: 10 },
    });
    expect(open).toMatchObject([{ asset: USDS, units: unitsOf('3', 18) }]);
    const payout = await it.call(on.merchant.live, 'GET', `/api/v2/payouts/${ordered.body.result.order_id}`);
    expect(payout.body.result).toMatchObject({ status: 'success', currency: USDS, amount: 29 });
  });
});
