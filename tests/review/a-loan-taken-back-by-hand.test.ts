/** A loan of energy that is not there any more when it is to be taken back must not keep its deposit address closed for ever. */
import { describe, expect, test } from 'bun:test';
import { addressHex } from '../../src/adapters/chains/tron/address.ts';
import { giveUpSweep } from '../../src/app/give-up-sweep.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { stageEnergyJourney } from '../support/tron/energy-journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a loan of energy', () => {
  const on = stageEnergyJourney();
  const { hot, lentTo, usdtOf, stake, paid, sweepsOf, transfersOf, round, until } = on;

  test('that somebody took back by hand (the operator unstaked) lets the address be swept again, or says so', async () => {
    await stake(20_000n);
    const address = await paid();
    await until(address, 'reclaim');
    const [owner, receiver] = [addressHex(hot())!, addressHex(address)!];
    const { accounts } = on.lab.server.chain.world;
    // With a wallet of his own that has the same seed, as for unstaking he must.
    accounts.takeBack(owner, receiver, lentTo(address), on.lab.server.chain.tip().timeMs);
    for (let days = 0; days < 6; days += 1) {
      on.lab.server.chain.pass(3_600_000);
      await on.mineToFinality();
      await on.it.service.refreshRates();
      await round();
    }
    // The same customer pays again, to his permanent address, say.
    const alarms = on.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    const open = (await sweepsOf(address)).filter(({ status }) => status !== 'done' && status !== 'failed');
    const given = open[0] ? await giveUpSweep(on.it.service.dependencies)(open[0].id) : null;
    expect({
      left: await usdtOf(address),
      open: open.map(({ status }) => status),
      operatorCanEndIt: given?.ok ?? true,
      alarms,
      transfers: (await transfersOf(address)).map(({ purpose, status }) => `${purpose} ${status}`),
    }).toMatchObject({ open: [], operatorCanEndIt: true });
  });
});
