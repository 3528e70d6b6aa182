/** The contract of WalletKeys. Nobody else uses the storage meanwhile. */
import { describe, expect, test } from 'bun:test';
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import { CHAINS } from '../../../src/domain/catalog/chain.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { anAddress, anInvoice, anIssuedAddress, NOW, secondsAfter } from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export type OpenedWalletKeys = Opened & Pick<ComposedDatabase, 'walletKeys'>;

export function describeWalletKeys(name: string, open: () => Promise<OpenedWalletKeys>): void {
  describe(`${name}: the wallet of a database`, () => {
    const storage = openedFor(open);
    const keys = () => storage.ports().walletKeys;
    const noted = () => keys().holding((held) => held.noted());
    const isUsed = () => keys().holding((held) => held.isUsed());
    const sampled = async () => [...(await keys().holding((held) => held.sampleAddresses()))];
    const key = (family: 'evm' | 'bitcoin' | 'solana', letter: string) => {
      return { family, fingerprint: letter.repeat(64) };
    };

    test('is noted once for each family, all of it or nothing', async () => {
      expect([await noted(), await isUsed(), await sampled()]).toEqual([[], false, []]);
      await keys().holding((held) => held.note([key('evm', 'a'), key('bitcoin', 'b')], NOW));
      expect(await noted()).toEqual([key('bitcoin', 'b'), key('evm', 'a')]);
      const another = keys().holding((held) => held.note([key('solana', 'c'), key('evm', 'd')], NOW));
      await expect(another).rejects.toThrow();
      const refused = new Error('another wallet');
      const failing = keys().holding(async (held) => {
        await held.note([key('solana', 'c')], NOW);
        throw refused;
      });
      await expect(failing).rejects.toBe(refused);
      expect(await noted()).toEqual([key('bitcoin', 'b'), key('evm', 'a')]);
      expect(await isUsed()).toBe(false);
    });

    test('is proved by the three highest addresses of a family, issued or derived in advance', async () => {
      const { id: merchantId } = await storage.merchant();
      expect(await isUsed()).toBe(true);
      const issue = async (family: string, derivationIndex: number, given = {}) => {
        const invoice = anInvoice({ merchantId });
        const issued = anIssuedAddress({ family, deriver: family, merchantId, derivationIndex, ...given });
        await storage.run(async (r) => {
          await r.invoices.insert(invoice);
          await r.addresses.insert({ ...issued, invoiceId: invoice.id });
        });
        return { family, index: derivationIndex, address: issued.address };
      };
      const evm = [];
      for (const index of [4, 9, 2, 7]) evm.push(await issue('evm', index));
      await issue('evm', 99, { deriver: 'fake:evm' });
      const addresses = Array.from({ length: 4 }, () => anAddress());
      await storage.run((r) => r.addresses.addDerived({ family: 'solana', from: 0, addresses }));
      const solana = await issue('solana', 3, { address: addresses[3]! });
      const wanted: unknown[] = [evm[0], evm[1], evm[3], solana];
      for (const index of [1, 2]) wanted.push({ family: 'solana', index, address: addresses[index]! });
      const found = await sampled();
      expect(found).toHaveLength(wanted.length);
      for (const each of wanted) expect(found).toContainEqual(each as never);
    });

    test('K2: is replaced: the former one is frozen, what it had not signed fails, and its money is let go', async () => {
      const ofEvm = CHAINS.filter(({ family }) => family === 'evm');
      const hot = { chain: 'ethereum', address: anAddress() };
      const [unsigned, signed] = [anOutgoing({ chain: 'bitcoin' }), anOutgoing({ status: 'signed' })];
      const untouched = anOutgoing({ chain: 'solana' });
      const coin = aUtxo({ key: { role: 'change', index: 7 } });
      const before = await storage.run(async (r) => {
        await r.outgoing.takeNonce({ ...hot, atLeast: 1n });
        for (const transfer of [unsigned, signed, untouched]) await r.outgoing.insert(transfer);
        await r.utxos.insertChange('bitcoin', coin, { height: 5, hash: 'a5' });
        expect(await r.utxos.claim('bitcoin', unsigned.id, [coin])).toBe(true);
        expect(await r.addresses.derivedIndexes('solana')).toBe(4);
        const issued = await r.addresses.issuedIndexes();
        return issued.get('evm');
      });
      expect(before).toBe(10);
      const replacing = [key('evm', 'e'), key('bitcoin', 'f')];
      const replaced = await keys().replacing(async (held) => {
        expect(await held.otherSessions()).toBe(0);
        return held.replace(replacing, secondsAfter(1));
      });
      // Four issued addresses on each chain of theirs, the hot wallet, and the coin's.
      expect(replaced).toEqual({ addresses: 4 * ofEvm.length + 2, unsigned: 1, signed: 1 });
      expect(await noted()).toEqual([key('bitcoin', 'f'), key('evm', 'e')]);
      await storage.run(async (r) => {
        expect(await r.frozen.find(hot)).toMatchObject({ ...hot, at: secondsAfter(1) });
        expect(await r.frozen.thaw(hot)).toBe(false);
        expect(await r.frozen.isFrozen({ chains: ['bitcoin'], address: coin.address })).toBe(true);
        expect(await r.frozen.isFrozen({ chains: ['solana'], address: hot.address })).toBe(false);
        const stored = async (id: string) => (await r.outgoing.find([id]))[0];
        expect(await stored(unsigned.id)).toMatchObject({
          ...{ status: 'failed', failure: failureOf('wallet_replaced') },
        });
        expect(await stored(signed.id)).toEqual(signed);
        expect(await stored(untouched.id)).toEqual(untouched);
        expect(await r.addresses.derivedIndexes('solana')).toBe(0);
      });
      const back = await keys().replacing((held) => held.replace([key('evm', 'a')], secondsAfter(2)));
      expect(back).toMatchObject({ unsigned: 0, signed: 1 });
      expect(await noted()).toEqual([key('bitcoin', 'f'), key('evm', 'a')]);
      // What was frozen first stays as it was.
      expect((await storage.run((r) => r.frozen.find(hot)))?.at).toEqual(secondsAfter(1));
    });
  });
}
