/** The page of a refund. Its link takes the money, so that looking at the page does not show it. */
import { describe, expect, test } from 'bun:test';
import { MERCHANT_ROLES } from '../../../../src/domain/accounts/role.ts';
import type { RefundClaim } from '../../../../src/domain/payouts/refund-claim.ts';
import { aMerchant, NOW } from '../../../support/builders.ts';
import { consoleStage, OWN } from '../../../support/console/console-stage.ts';

const ID = '0190f3a1b2c30a1b2c3d4e55';
const URL = `https://pay.example/r/${ID}-${'c'.repeat(40)}`;
const CLAIM: RefundClaim = {
  ...{ id: ID, merchantId: OWN, sandbox: false, subject: 'invoice', invoiceId: ID, depositId: null },
  ...{ asset: 'usdt_ethereum', units: 5_000_000n, feeBearer: 'client', onCheckout: false, orderedBy: null },
  ...{ status: 'open', address: null, payoutId: null, expiresAt: NOW, createdAt: NOW, updatedAt: NOW },
};
const stage = consoleStage({
  application: {
    queries: {
      merchantById: async (id: string) => aMerchant({ id }),
      lastNumbers: async () => [],
      refundClaim: async () => ({ claim: CLAIM, payout: null }),
    },
    catalog: { require: () => ({ key: 'usdt_ethereum', decimals: 6 }) },
    claimUrl: () => URL,
  } as never,
  merchantDesk: { showRefundLink: async () => ({ ok: true, value: { claim: CLAIM, url: URL } }) } as never,
});
const at = `/console/m/${OWN}/live/refunds/${ID}`;

describe('the page of a refund', () => {
  for (const role of MERCHANT_ROLES)
    test(`does not show its link to the role ${role}`, async () => {
      const page = await (await stage.ask('GET', at, { role })).text();
      expect(page).toContain('Refund');
      expect(page).not.toContain(URL);
      expect(page.includes(`action="${at}/link"`)).toBe(role === 'owner' || role === 'support');
    });

  test('shows it to whoever may offer refunds, right after the second factor', async () => {
    for (const role of ['owner', 'support'] as const) {
      expect(await (await stage.ask('POST', `${at}/link`, { role })).text()).toContain(URL);
      const stale = await stage.ask('POST', `${at}/link`, { role, secondFactorAgeS: 3_600 });
      expect(stale.headers.get('location')).toBe('/console/second-factor');
    }
    for (const role of ['accountant', 'developer'] as const)
      expect((await stage.ask('POST', `${at}/link`, { role })).status).toBe(404);
  });
});
