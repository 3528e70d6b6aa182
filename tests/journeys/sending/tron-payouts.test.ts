/**
 * Money out on Tron: payouts with their energy, ones that wait, ones that expire and are signed
 * again once, and sweeps.
 */
import { describe, expect, test } from 'bun:test';
import { addressHex } from '../../../src/adapters/chains/tron/address.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { treasuryStatus } from '../../../src/app/treasury/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { expectToldWhenUnknown } from '../../support/chains/unknown-sent.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { SOLID_BEHIND, stageTronJourney } from '../../support/tron/journey.ts';
import { TRX } from '../../support/tron/parameters.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('money out on Tron', () => {
  const on = stageTronJourney();
  const { endow, order, payoutOf, signedOf, settle, mine, mineToFinality, chainIsRight } = on;
  const chain = () => on.lab.server.chain;
  const usdtOf = (address: string) => on.lab.balanceOf(address, on.lab.contracts.usdt);
  /** While on, the node says that it takes what is broadcast, and does not. */
  const lose = (losing: boolean) => {
    const isBroadcast = (path: string) => path.endsWith('broadcasthex');
    const answer = (path: string) => (isBroadcast(path) ? { result: true } : undefined);
    on.lab.server.node.behave(losing ? { refuse: isBroadcast, answer } : {});
  };

  test('K4: a payout of a token and one of the coin are paid, and the energy is told; the scanner tells them when they are not known', async () => {
    await endow(1_000);
    await on.it.service.refreshRates();
    const [token, coin] = [await order(), await order({ asset: 'trx_tron', amount: 7 })];
    const { energy_fee_usd: energy, fee_usd: fee } = await payoutOf(token.id);
    expect(energy).toBeGreaterThan(0.5);
    expect(fee).toBeGreaterThan(energy);
    expect((await payoutOf(coin.id)).energy_fee_usd).toBe(0);
    await settle();
    await mineToFinality();
    for (const { id } of [token, coin]) expect((await payoutOf(id)).status).toBe('success');
    expect(await usdtOf(token.to)).toBe(unitsOf('5', 6));
    expect(await on.lab.balanceOf(coin.to, null)).toBe(7n * TRX);
    await chainIsRight();
    await expectToldWhenUnknown(on.it, 'tron', [token.id, coin.id]);
  });

  test('a payout that waits is broadcast again by its own bytes, and by no others', async () => {
    await endow(100);
    const { id, to } = await order();
    await settle();
    const signed = await signedOf(id);
    expect(signed).toHaveLength(1);
    chain().drop();
    await chain().mine(3, { empty: true });
    await settle();
    expect(chain().pool.map(({ txid }) => txid)).toEqual([signed[0]!.txid]);
    await mineToFinality();
    expect((await payoutOf(id)).status).toBe('success');
    expect(await signedOf(id)).toHaveLength(1);
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    await chainIsRight();
  });

  test('a payout that expired is signed again exactly once, when that is solidified, and paid once', async () => {
    await endow(100);
    lose(true);
    const { id, to } = await order();
    await settle();
    const [dead] = await signedOf(id);
    const left = Number(dead!.validUntil) - chain().tip().timeMs;
    chain().pass(left - 6_000);
    await mine(SOLID_BEHIND + 1);
    expect(await signedOf(id)).toHaveLength(1);
    await mine(2);
    lose(false);
    await settle();
    // The application has the proof; the signer, who sees no chain, has its clock and a margin.
    expect(await signedOf(id)).toHaveLength(1);
    on.clock.advance(30);
    await settle();
    await settle();
    const signed = await signedOf(id);
    expect(signed).toHaveLength(2);
    expect(signed[1]!.validUntil!).toBeGreaterThan(signed[0]!.validUntil!);
    await mineToFinality();
    expect(await payoutOf(id)).toMatchObject({ status: 'success', txid: signed[1]!.txid });
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    await chainIsRight();
  });

  test('a payout whose block a fork takes is paid once, by the same bytes', async () => {
    await endow(100);
    const { id, to } = await order();
    await settle();
    await mine();
    await chain().fork(1);
    await settle();
    await mineToFinality();
    await mineToFinality();
    expect((await payoutOf(id)).status).toBe('success');
    expect(await signedOf(id)).toHaveLength(1);
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    await chainIsRight();
  });

  test('G2: a payout that reverts, or runs out of energy, costs its merchant what the chain took, and its money is free again', async () => {
    await endow(100);
    const penalties = chain().penalties;
    const spoils = [
      (to: string) => on.lab.set(on.lab.contracts.usdt, 'TronTetherToken', 'refuse', [to, true]),
      async () => void penalties.set(addressHex(on.lab.contracts.usdt) ?? '', 900n),
    ];
    const hot = on.on.deriver.hotWallet() ?? '';
    for (const spoil of spoils) {
      const before = { usd: (await on.balance()).available, trx: await on.lab.balanceOf(hot, null) };
      const { id, to } = await order();
      await settle();
      await spoil(to);
      await mineToFinality();
      penalties.clear();
      const { status, fee_usd: fee, energy_fee_usd: energy } = await payoutOf(id);
      expect([status, energy]).toEqual(['failed', fee]);
      const charged = before.usd - (await on.balance()).available;
      expect(charged).toBeCloseTo(fee, 6);
      // A TRX is 0.25 USD.
      const lost = (Number(before.trx - (await on.lab.balanceOf(hot, null))) / Number(TRX)) * 0.25;
      expect(lost).toBeGreaterThan(0.05);
      expect(Math.abs(lost - charged)).toBeLessThanOrEqual(charged / 100);
    }
    await chainIsRight();
  });

  test('a token and a coin are swept, the token with gas that activates its address', async () => {
    await endow(100);
    const token = await on.create({ amount: 900 });
    const coin = await on.create({ amount: 300, asset: 'trx_tron' });
    for (const invoice of [token, coin]) await on.pay(invoice);
    await mineToFinality();
    expect(chain().world.accounts.get(hexOf(token.address_to))).toBeUndefined();
    const hot = on.on.deriver.hotWallet() ?? '';
    const before = await usdtOf(hot);
    for (let round = 0; round < 4; round += 1) {
      await on.sweep();
      await settle();
      await mineToFinality();
    }
    expect(await usdtOf(token.address_to)).toBe(0n);
    expect((await usdtOf(hot)) - before).toBeGreaterThanOrEqual(unitsOf('900', 6));
    expect(await on.lab.balanceOf(coin.address_to, null)).toBeLessThan(2n * TRX);
    await chainIsRight();
  });

  test('a token that only the configuration lists is swept and paid out', async () => {
    await endow(100);
    await on.pay(await on.create({ amount: 900, asset: 'lab_tron' }));
    await mineToFinality();
    for (let round = 0; round < 4; round += 1) {
      await on.sweep();
      await settle();
      await mineToFinality();
    }
    const { id, to } = await order({ asset: 'lab_tron' });
    await settle();
    await mineToFinality();
    expect((await payoutOf(id)).status).toBe('success');
    expect(await on.lab.balanceOf(to, on.lab.contracts.named)).toBe(unitsOf('5', 6));
    await chainIsRight();
  });

  test('T5: an address whose permissions changed is frozen, told of, and not swept', async () => {
    await endow(100);
    const invoice = await on.create({ amount: 900 });
    await on.pay(invoice);
    await mineToFinality();
    const thief = await on.lab.party();
    const { lab } = on;
    // As if its key had leaked: the new owner is set by a transaction that the old key signed.
    await lab.payTrx(invoice.address_to, 200n * TRX);
    await lab.mine();
    await lab.changePermissions(await leaked(invoice.address_to), thief);
    await mineToFinality();
    const { dependencies } = on.it.service;
    expect((await treasuryStatus(dependencies, on.on)).frozen).toMatchObject([
      { address: invoice.address_to },
    ]);
    expect(on.lines.filter(({ level }) => level === 'error').map(({ event }) => event)).toContain(
      'address.owner_changed',
    );
    const planned = await requestSweeps(dependencies, on.on, { asset: null, address: invoice.address_to });
    expect(planned).toEqual([]);
  });

  /** The key of a deposit address, which a thief has. */
  async function leaked(address: string) {
    const { openKeystore } = await import('../../../src/adapters/signer/keystore.ts');
    const { HDNodeWallet } = await import('ethers');
    const { config, dependencies } = on.it.service;
    const masterKey = Buffer.from(config.masterKey ?? '', 'hex');
    const keystore = await openKeystore({ directory: config.dataDir, masterKey, createIfMissing: false });
    const [issued] = await dependencies.unitOfWork.run((r) => r.addresses.find('tron', [address]));
    const path = `m/44'/195'/0'/0/${issued!.derivationIndex}`;
    const { privateKey } = HDNodeWallet.fromPhrase(await keystore.mnemonic(), '', path);
    return { privateKey: privateKey.slice(2), address, hex: hexOf(address) };
  }
});

const hexOf = (address: string): string => addressHex(address) ?? '';
