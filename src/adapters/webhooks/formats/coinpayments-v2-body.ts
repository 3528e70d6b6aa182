/** The body of CoinPayments' current notifications. */
import type { ProviderInvoice } from '../../../ports/webhooks/webhook-formats.ts';
import { coinpaymentsV2Status } from '../../shared/providers/coinpayments-v2.ts';
import { coinpaymentsV2Invoice } from '../../shared/providers/coinpayments-v2-invoice.ts';

/** Its event ids have 32 hex digits. */
const EVENT_ID_LENGTH = 32;

export function coinpaymentsV2Body(facts: ProviderInvoice): string {
  const { invoice, deliveryId, at } = facts;
  const { type } = coinpaymentsV2Status(invoice.status);
  return JSON.stringify({
    id: deliveryId.padEnd(EVENT_ID_LENGTH, '0'),
    type,
    timestamp: at.toISOString().replace('Z', '0000+00:00'),
    invoice: coinpaymentsV2Invoice(facts),
  });
}
