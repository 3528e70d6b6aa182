/**
 * The Tron journey with a hot wallet that stakes for energy: its loans, sweeps step by step, and
 * workers that are killed.
 */
import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { addressHex } from '../../../src/adapters/chains/tron/address.ts';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { OPEN_GATE } from '../runtime/open-gate.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { stageTronJourney } from './journey.ts';
import { TRX } from './parameters.ts';

/**
 * Registers the hooks around the tests of the describe block it is called in. The hot wallet is
 * endowed, and stakes nothing yet.
 */
export function stageEnergyJourney() {
  const on = stageTronJourney();
  let database: Database;
  beforeAll(() => {
    database = openDatabase({ url: on.it.databaseUrl, poolSize: 1, logger: silentLogger });
  });
  beforeEach(() => on.endow(5));
  afterAll(() => database.close());

  const chain = () => on.lab.server.chain;
  const hot = () => on.on.deriver.hotWallet() ?? '';
  const hex = (address: string) => addressHex(address) ?? '';
  const lentTo = (address: string) => chain().world.accounts.lent(hex(hot()), hex(address));
  const usdtOf = (address: string) => on.lab.balanceOf(address, on.lab.contracts.usdt);

  /**
   * TRX of the hot wallet's, staked for energy; nothing of its stake's energy is in use after that.
   */
  async function stake(trx: bigint): Promise<void> {
    await on.lab.server.fund(hex(hot()), trx * TRX);
    await on.lab.server.stake(hex(hot()), trx * TRX);
    await rest();
  }
  async function rest(): Promise<void> {
    chain().pass(86_400_000);
    await on.mineToFinality();
    await on.it.service.refreshRates();
  }
  /** Somebody else's use of the energy that is left to an address. */
  function use(address: string, share: (left: bigint) => bigint): void {
    const { timeMs } = chain().tip();
    const { accounts } = chain().world;
    accounts.useEnergy(hex(address), share(accounts.energyLeft(hex(address), timeMs)), timeMs);
  }
  /** The address of a payment of 900 USDT that is credited. */
  async function paid(): Promise<string> {
    const invoice = await on.create({ amount: 900 });
    await on.pay(invoice);
    await on.mineToFinality();
    return invoice.address_to;
  }
  const sweepsOf = async (address: string) => {
    type Row = { id: string; status: string; reason_code: string | null };
    const text = 'select id, status, reason_code from sweeps where address = $1 order by id';
    return (await database.query<Row>(text, [address])).map((row) => ({ ...row }));
  };
  const transfersOf = (address: string) =>
    database.query<{ id: string; purpose: string; status: string; fee_units: string }>(
      `select t.id, t.purpose, t.status, t.fee_units from outgoing_transfers t join sweeps s on s.id = t.reference_id
       where s.address = $1 order by t.id`,
      [address],
    );
  /** All that was ever signed, and when it was broadcast. */
  const signed = () => database.query('select txid, broadcast_at from signed_transactions order by txid');
  const purposesOf = async (address: string) => (await transfersOf(address)).map(({ purpose }) => purpose);
  async function round(): Promise<void> {
    await on.sweep();
    await on.settle();
    await on.mineToFinality();
  }
  async function sweepToTheEnd(address: string): Promise<void> {
    for (let rounds = 0; rounds < 12; rounds += 1) {
      const sweeps = await sweepsOf(address);
      if (sweeps.length > 0 && sweeps.every(({ status }) => status === 'done' || status === 'failed')) return;
      await round();
    }
    throw new Error(`${address} is not swept: ${JSON.stringify(await sweepsOf(address))}`);
  }
  /** Rounds until a transfer of the purpose was ordered, which is not sent. */
  async function until(address: string, purpose: string): Promise<string> {
    for (let rounds = 0; rounds < 12; rounds += 1) {
      await on.sweep();
      const found = (await transfersOf(address)).findLast((transfer) => transfer.purpose === purpose);
      if (found) return found.id;
      await on.settle();
      await on.mineToFinality();
    }
    throw new Error(`there is no ${purpose}`);
  }

  /** As if an upgrade had other words for everything that was said of the address's sweeps. */
  async function reword(address: string): Promise<void> {
    const ofAddress = 'reference_id in (select id from sweeps where address = $1)';
    await database.query(
      `update outgoing_transfers set failure = 'other words' where failure is not null and ${ofAddress}`,
      [address],
    );
    await database.query(
      `update sweeps set reason = 'other words' where reason is not null and address = $1`,
      [address],
    );
  }

  /**
   * Fresh workers that take one step each, and are killed before the transaction after `life` ones;
   * answers whether they were.
   */
  async function live(life: number): Promise<number> {
    const { dependencies } = on.it.service;
    let left = life;
    let killed = false;
    const unitOfWork: AppDependencies['unitOfWork'] = {
      run(work) {
        if (left === 0) killed = true;
        if (killed) throw new Error('killed');
        left -= 1;
        return dependencies.unitOfWork.run(work);
      },
    };
    const mortal = { ...dependencies, unitOfWork, logger: silentLogger };
    const settings = { sharePpm: 20_000n, limits: { floorUnits: new Map() } };
    const steps = [
      () => sweeper(mortal, on.on, settings).step(),
      () => transferSender(mortal, on.on, UNLIMITED_PAYOUTS, OPEN_GATE).step(),
    ];
    for (const step of steps)
      await step().catch((error: unknown) => {
        if (!killed) throw error;
      });
    return killed ? 1 : 0;
  }

  return Object.assign(on, {
    ...{ hot, lentTo, usdtOf, stake, rest, use, paid },
    ...{ sweepsOf, transfersOf, purposesOf, signed, round, sweepToTheEnd, until, reword, live },
  });
}
