/** The contract of OperatorQueries, about the addresses that scanners ask nodes for one by one. */
import { describe, expect, test } from 'bun:test';
import type { OperatorQueries } from '../../../src/ports/operator-queries.ts';
import {
  anAddress,
  anId,
  anInvoice,
  anIssuedAddress,
  aPermanentAddress,
  aPrice,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { openedFor } from '../opened.ts';
import type { OpenedOperator } from './operator-queries.ts';

export function describeFollowedAddresses(name: string, open: () => Promise<OpenedOperator>): void {
  describe(`${name}: addresses to ask nodes for`, () => {
    const storage = openedFor(open);
    const operator = (): OperatorQueries => storage.ports().operatorQueries;

    test('expecting a native coin are the live addresses of invoices that wait for it, and of active permanent ones', async () => {
      const { id: merchantId } = await storage.merchant();
      const price = aPrice({ asset: 'eth_base' });
      const waiting = (['created', 'confirming', 'partially_paid'] as const).map((status) =>
        anInvoice({ merchantId, price, ...inStatus(status) }),
      );
      // Changed to another asset since: an earlier payment may be under way, until something else
      // is paid.
      const changed = (status: 'created' | 'confirming') =>
        anInvoice({
          ...{ merchantId, customerChooses: true, ...inStatus(status) },
          earlierChoices: [{ price, addressTo: anAddress(), permanentAddressId: null }],
        });
      waiting.push(changed('created'));
      const others = [
        anInvoice({ merchantId, price, ...inStatus('success') }),
        anInvoice({
          merchantId,
          price,
          ...inStatus('partially_paid'),
          billingType: 'VARY',
          processedAt: NOW,
        }),
        anInvoice({ merchantId, price, sandbox: true }),
        anInvoice({ merchantId }),
        changed('confirming'),
      ];
      const permanent = aPermanentAddress({ merchantId });
      const retired = aPermanentAddress({ merchantId, active: false, deactivatedAt: NOW });
      const addressOf = new Map<string, string>();
      await storage.run(async (r) => {
        for (const invoice of [...waiting, ...others]) {
          const issued = anIssuedAddress({ merchantId, sandbox: invoice.sandbox, invoiceId: invoice.id });
          addressOf.set(invoice.id, issued.address);
          await r.invoices.insert(invoice);
          await r.addresses.insert(issued);
        }
        for (const { id } of [permanent, retired]) {
          const issued = anIssuedAddress({ merchantId, permanentAddressId: id });
          addressOf.set(id, issued.address);
          await r.permanentAddresses.insertIfAbsent(id === permanent.id ? permanent : retired);
          await r.addresses.insert(issued);
        }
      });
      const expecting = await operator().addressesExpecting({ family: 'evm', asset: 'eth_base' });
      const wanted = [...waiting, permanent].map(({ id }) => addressOf.get(id) ?? '');
      expect(expecting.toSorted()).toEqual(wanted.toSorted());
      expect(await operator().addressesExpecting({ family: 'bitcoin', asset: 'eth_base' })).toEqual([]);
    });

    test('what is to be followed are the addresses that expect the coin, those of the newest invoices, permanent ones that were deactivated last, and those of the largest free coins', async () => {
      const { id: merchantId } = await storage.merchant();
      const [chain, family] = [`chain ${anId()}`, 'litecoin' as const];
      // Ids sort by time: these are newer than all others.
      const ended = [3, 2, 1].map((age) =>
        anInvoice({
          id: `${'f'.repeat(11)}${9 - age}${anId().slice(12)}`,
          merchantId,
          ...inStatus('expired'),
        }),
      );
      const issued = ended.map(({ id }) => anIssuedAddress({ merchantId, family, invoiceId: id }));
      const permanent = aPermanentAddress({ merchantId, family });
      const expecting = anIssuedAddress({ merchantId, family, permanentAddressId: permanent.id });
      const retired = [1, 2, 3].map((seconds) =>
        aPermanentAddress({
          merchantId,
          family,
          active: false,
          deactivatedAt: secondsAfter(seconds * 9_000),
        }),
      );
      const gone = retired.map(({ id }) => anIssuedAddress({ merchantId, family, permanentAddressId: id }));
      const coins = [30_000n, 90_000n, 60_000n].map((units) =>
        aUtxo({ units, key: { role: 'change', index: 7 } }),
      );
      await storage.run(async (r) => {
        for (const invoice of ended) await r.invoices.insert(invoice);
        for (const each of [permanent, ...retired]) await r.permanentAddresses.insertIfAbsent(each);
        for (const each of [...issued, expecting, ...gone]) await r.addresses.insert(each);
        for (const coin of coins) await r.utxos.insertChange(chain, coin, { height: 5, hash: 'a5' });
      });
      const followed = await operator().addressesToFollow({
        ...{ family, chain, asset: 'ltc_litecoin' },
        ...{ newest: 2, coins: 2 },
      });
      for (const { address } of [issued[1]!, issued[2]!, expecting, gone[1]!, gone[2]!, coins[1]!, coins[2]!])
        expect(followed).toContain(address);
      for (const { address } of [issued[0]!, gone[0]!, coins[0]!]) expect(followed).not.toContain(address);
    });
  });
}
