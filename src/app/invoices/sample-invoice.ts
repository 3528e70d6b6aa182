/** A sample invoice to test a receiver with: 25 USD in USDT on Tron, in any status. */
import { type InvoiceFunds, type InvoiceStatus, isFinal } from '../../domain/invoices/invoice.ts';
import { type Invoice, NO_DETAILS } from '../../domain/invoices/invoice-record.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { WebhookFormat } from '../../domain/webhooks/webhook-format.ts';
import type { AppDependencies } from '../dependencies.ts';

const FIAT_MICROS = 25_000_000n;
const DUE_UNITS = 25_250_000n;
const HOUR_MS = 3_600_000;

/** The parts of the payment, in quarters of the amount due. */
const QUARTERS: Readonly<Record<InvoiceStatus, Readonly<Partial<Record<keyof InvoiceFunds, bigint>>>>> = {
  created: {},
  confirming: { pendingUnits: 4n },
  partially_paid: { creditedUnits: 2n },
  paid_over: { creditedUnits: 5n },
  success: { creditedUnits: 4n },
  failed: {},
  high_risk: { heldUnits: 4n },
  expired: {},
  cancelled: { creditedUnits: 2n },
  refunded: { creditedUnits: 4n },
};

/** It is not stored; its texts say that it is a sample. */
export function sampleInvoice(
  deps: Pick<AppDependencies, 'ids' | 'clock'>,
  merchant: Merchant,
  wanted: { sandbox: boolean; status: InvoiceStatus; format: WebhookFormat },
): Invoice {
  const { status, sandbox, format: webhookFormat } = wanted;
  const at = deps.clock.now();
  const units = (of: keyof InvoiceFunds) => ((QUARTERS[status][of] ?? 0n) * DUE_UNITS) / 4n;
  const funds = {
    pendingUnits: units('pendingUnits'),
    creditedUnits: units('creditedUnits'),
    heldUnits: units('heldUnits'),
  };
  const isPaid = funds.pendingUnits + funds.creditedUnits + funds.heldUnits > 0n;
  const asset = 'usdt_tron';
  return {
    ...{ id: deps.ids.id(), externalId: deps.ids.checkoutId(), merchantId: merchant.id, sandbox },
    ...{
      status,
      version: 1,
      billingType: 'STATIC',
      tolerancePpm: 0n,
      toleranceGiven: false,
      acceptedUnits: null,
    },
    price: { asset, dueUnits: DUE_UNITS, baseUnits: DUE_UNITS, originalUnits: null, deferralUnits: 0n },
    ...{ funds, fiatCurrency: 'USD', initialFiatMicros: FIAT_MICROS, priceModifierPpm: null },
    ...{ feeBearer: merchant.defaultFeeBearer, commissionPpm: merchant.commissionPpm },
    ...{ createdAt: at, updatedAt: at, expiresAt: new Date(at.getTime() + HOUR_MS) },
    processedAt: isFinal({ status, billingType: 'STATIC' }) ? at : null,
    txid: isPaid ? deps.ids.uuid().replaceAll('-', '').repeat(2) : null,
    addressFrom: isPaid ? 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy' : null,
    ...{ initialAsset: asset, addressTo: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
    ...{ customerChooses: false, earlierChoices: [], acceptedCoins: null, excludedCoins: null },
    ...{ ...NO_DETAILS, metadata: { sample: true }, extra: 'sample', title: 'Sample' },
    ...{ description: 'A sample: nothing was sold, and nothing was paid.', webhookFormat },
    ...{ permanentAddressId: null, bindsPermanentAddress: false, userId: null, paymentLinkId: null },
  };
}
