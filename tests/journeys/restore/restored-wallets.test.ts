/**
 * An older database is put back under the service, on fake chains of every family, with a signer
 * that remembers nothing: what was pending in it, and paid since, is not paid again. On real nodes:
 * restored-payouts.test.ts (EVM), restored-database.test.ts (Tron).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { VALID_BLOCKS } from '../../../src/adapters/chains/fake/fake-capabilities.ts';
import { fakeEntropy, fakeFamily } from '../../../src/adapters/chains/fake/fake-family.ts';
import { startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { startGate } from '../../../src/app/sending/restart/start-gate.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const NATIVE = {
  ethereum: 'eth_ethereum',
  tron: 'trx_tron',
  solana: 'sol_solana',
  xrp: 'xrp_xrp',
  ton: 'ton_ton',
  bitcoin: 'btc_bitcoin',
} as const;
type ChainName = keyof typeof NATIVE;
const CHAINS: readonly ChainName[] = Object.keys(NATIVE) as ChainName[];
const FREE: readonly ChainName[] = ['tron', 'solana'];
/** What is signed never expires. */
const WAITS_LONG: readonly ChainName[] = ['ethereum', 'bitcoin'];

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts of an older database', () => {
  let journey: FakeJourney;
  let kept: DatabaseBackup;
  let strangers = 0;
  const deps = () => journey.it.service.dependencies;
  const control = (chain: ChainName) => journey.it.service.chains.fakes!.get(chain)!.control;
  const hotWallet = (chain: ChainName) => hotWalletOf(journey.it.service.sending.chains.get(chain)!);

  beforeAll(async () => {
    journey = await openFakeJourney({}, 'ethereum', CHAINS);
    kept = databaseBackup(journey.it.databaseUrl);
    const invoice = await journey.create({ amount: 1_000_000 });
    journey.pay(invoice, String(invoice.amount));
    for (const chain of CHAINS)
      if (chain !== 'bitcoin') control(chain).fund(hotWallet(chain), NATIVE[chain], 10n ** 24n);
    fundCoins();
    await mine();
  });
  afterAll(async () => {
    await kept.close();
    await journey.close();
  });

  /** Coins of which each pays for a payout. */
  function fundCoins(): void {
    for (let coin = 0; coin < 4; coin += 1)
      control('bitcoin').pay({ to: hotWallet('bitcoin'), asset: NATIVE.bitcoin, units: unitsOf('1', 8) });
  }
  /** To finality, on all chains. */
  async function mine(): Promise<void> {
    for (const chain of CHAINS) control(chain).mine(chainNamed(chain).confirmations);
    await journey.it.settle();
  }
  /** As long as anything that was signed before is valid. */
  async function mineOn(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      journey.clock.advance(200);
      await mine();
    }
  }
  /** Without a block. */
  async function minutes(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      journey.clock.advance(61);
      await journey.it.settle();
    }
  }
  async function run(jobs: 'chain:' | 'send:'): Promise<void> {
    for (const job of journey.it.service.jobs) if (job.name.startsWith(jobs)) await job.run();
  }
  const read = () => run('chain:');
  const send = () => run('send:');

  interface Ordered {
    readonly id: string;
    readonly chain: ChainName;
    readonly to: string;
  }
  async function order(chain: ChainName): Promise<Ordered> {
    const { family } = chainNamed(chain);
    const to = fakeFamily(family).address(fakeEntropy(`stranger/${family}`, strangers++));
    const body = { address: to, amount: 0.5, asset: NATIVE[chain] };
    const key = { 'x-uniq-id': randomUUID() };
    const answer = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/payouts', body, key);
    expect(answer.body).toMatchObject({ ok: true });
    return { id: answer.body.result.order_id, chain, to };
  }
  const orderOnEach = (chains: readonly ChainName[] = CHAINS) => Promise.all(chains.map(order));
  const paidTimes = (payouts: readonly Ordered[]) =>
    payouts.map(({ chain, to }) => `${chain} ${control(chain).received(to).length}`);
  const states = (payouts: readonly Ordered[]) =>
    Promise.all(
      payouts.map(async ({ id, chain }) => {
        const payout = await deps().unitOfWork.run((r) => r.payouts.lock(id));
        return `${chain} ${payout?.status} ${payout?.held?.code ?? ''}`.trim();
      }),
    );
  const each = (what: string, chains: readonly ChainName[] = CHAINS) =>
    chains.map((chain) => `${chain} ${what}`);

  /**
   * One payout on each of these chains; the backup is taken before they are signed. Signing stays
   * stopped.
   */
  async function pendingInBackup(chains = CHAINS): Promise<readonly Ordered[]> {
    await stopSigning(deps())('a backup is taken');
    const pending = await orderOnEach(chains);
    await mine();
    await kept.take();
    return pending;
  }
  /** Signing goes on, and all wait for a block that does not come. */
  async function sign(pending: readonly Ordered[]): Promise<void> {
    await startSigning(deps())();
    await minutes();
    expect(await states(pending)).toEqual(each('processing'));
  }
  async function putBack(): Promise<void> {
    await kept.putBack();
    await startSigning(deps())();
  }
  async function arePaidOnceAndHeld(payouts: readonly Ordered[], chains = CHAINS): Promise<void> {
    expect([paidTimes(payouts), await states(payouts)]).toEqual([
      each('1', chains),
      each('pending restored', chains),
    ]);
  }

  test('K4: what was there at a start waits until the chain was read to its tip, and what comes later does not', async () => {
    await stopSigning(deps())('for a moment');
    const [before] = await orderOnEach(['tron']);
    const gate = startGate(deps(), journey.it.service.sending.chains.get('tron')!);
    const look = async () => {
      await deps().unitOfWork.run((repositories) => gate.look(repositories));
      await gate.open();
    };
    await look();
    const [later] = await orderOnEach(['tron']);
    await look();
    expect([gate.keeps(before!.id), gate.keeps(later!.id)]).toEqual([true, false]);
    await mine();
    await look();
    expect(gate.keeps(before!.id)).toBe(false);
    await startSigning(deps())();
    await mineOn();
    expect(await states([before!, later!])).toEqual(['tron success', 'tron success']);
  });

  test('K4: a young backup, put back between two runs of the service: what waits for a block is not paid by another transaction', async () => {
    const pending = await pendingInBackup(FREE);
    await startSigning(deps())();
    await minutes();
    // A block passes it by.
    for (const chain of FREE) control(chain).setFeeLevel(500);
    for (const chain of FREE) control(chain).mine(1);
    for (const chain of FREE) control(chain).setFeeLevel(100);
    await putBack();
    const start = (chain: ChainName) => {
      const on = journey.it.service.sending.chains.get(chain)!;
      return transferSender(deps(), on, UNLIMITED_PAYOUTS, startGate(deps(), on));
    };
    let restarted = FREE.map(start);
    for (let round = 0; round < 6; round += 1) {
      // Once more, a moment later.
      if (round === 2) restarted = FREE.map(start);
      for (const sender of restarted) await sender.step();
      await read();
      journey.clock.advance(1);
    }
    await mineOn();
    await arePaidOnceAndHeld(pending, FREE);
  });

  test('K4: what is ordered while older ones wait takes no coin or nonce that tells that they were signed since', async () => {
    // Ethereum's wallet never sent in the backup.
    const pending = await pendingInBackup();
    await mine();
    await sign(pending);
    await putBack();
    await send();
    const fresh = await orderOnEach();
    await send();
    await minutes();
    await mineOn();
    await mineOn();
    await arePaidOnceAndHeld(pending);
    for (const times of paidTimes(fresh)) expect(times).toMatch(/ [01]$/);
  });

  test('K4: one that was pending is held on every family, whatever the signer remembers; those ordered after it are paid', async () => {
    const pending = await pendingInBackup();
    await startSigning(deps())();
    const lost = await orderOnEach();
    await mineOn();
    expect([paidTimes(pending), paidTimes(lost)]).toEqual([each('1'), each('1')]);
    await putBack();
    await mineOn();
    expect(await states(pending)).toEqual(each('pending restored'));
    const fresh = await orderOnEach();
    await mineOn();
    expect(await states(fresh)).toEqual(each('success'));
    expect([paidTimes(pending), paidTimes(fresh)]).toEqual([each('1'), each('1')]);
    expect(await states(pending)).toEqual(each('pending restored'));
  });

  test('K4: while no node answers nothing that was pending is paid; when one does, it is held', async () => {
    const pending = await pendingInBackup();
    await startSigning(deps())();
    await mineOn();
    expect(paidTimes(pending)).toEqual(each('1'));
    await putBack();
    for (const chain of CHAINS) control(chain).fail(true);
    await mineOn();
    expect(await states(pending)).toEqual(each('pending'));
    for (const chain of CHAINS) control(chain).fail(false);
    await mineOn();
    await arePaidOnceAndHeld(pending);
  });

  test('K4: what is signed since and still waits for a block is not paid by another transaction', async () => {
    const pending = await pendingInBackup();
    await mine();
    await sign(pending);
    await putBack();
    await minutes();
    // Where nothing expires the nodes tell that it waits. Elsewhere it is waited for until it may
    // be mined no more.
    expect(await states(pending)).toEqual(
      CHAINS.map((chain) => `${chain} pending${WAITS_LONG.includes(chain) ? ' restored' : ''}`),
    );
    await mineOn();
    await arePaidOnceAndHeld(pending);
  });

  test('K4: what is mined between the look at the chain and that at what waits is not paid by another transaction', async () => {
    fundCoins();
    const pending = await pendingInBackup();
    await sign(pending);
    await putBack();
    await send();
    await read();
    for (const chain of CHAINS) control(chain).mine(1);
    journey.clock.advance(1);
    for (let step = 0; step < 6; step += 1) await send();
    await mineOn();
    await mineOn();
    await arePaidOnceAndHeld(pending);
  });

  test('K4: what waits and spends only coins that came since the backup is not paid by another transaction', async () => {
    const coins = control('bitcoin');
    const invoice = await journey.create({ asset: NATIVE.bitcoin, amount: 1_000 });
    const pending = await pendingInBackup(['bitcoin']);
    // The payout takes the coin that came, since those of the backup could not be had.
    coins.pay({ to: invoice.address_to, asset: NATIVE.bitcoin, units: unitsOf(String(invoice.amount), 8) });
    await mine();
    const free = await deps().unitOfWork.run((r) => r.utxos.free('bitcoin', Number.MAX_SAFE_INTEGER, 100));
    const old = free.filter(({ key }) => key.role !== 'deposit');
    await deps().unitOfWork.run((r) => r.utxos.doubt('bitcoin', old, true));
    await startSigning(deps())();
    await minutes();
    expect(await states(pending)).toEqual(['bitcoin processing']);
    await putBack();
    // The deposit is read again, and not final for the moment: it is no coin yet that could tell.
    coins.disagree(true);
    for (let round = 0; round < 4; round += 1) {
      await read();
      await send();
      journey.clock.advance(1);
    }
    coins.disagree(false);
    await mineOn();
    await arePaidOnceAndHeld(pending, ['bitcoin']);
  });

  test('K4: one that had expired, and was signed anew and paid since, is not signed a third time', async () => {
    for (const chain of FREE) control(chain).spoilBroadcasts('lose');
    const payouts = await orderOnEach(FREE);
    await journey.it.settle();
    await kept.take();
    for (const chain of FREE) control(chain).mine(VALID_BLOCKS);
    await mineOn();
    for (const chain of FREE) control(chain).spoilBroadcasts(null);
    await mineOn();
    expect([paidTimes(payouts), await states(payouts)]).toEqual([each('1', FREE), each('success', FREE)]);
    await kept.putBack();
    await mineOn();
    await arePaidOnceAndHeld(payouts, FREE);
  });
});
