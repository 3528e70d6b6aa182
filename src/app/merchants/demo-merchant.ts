/**
 * The demo of a first start without configuration: a merchant, its sandbox key and an invoice.
 * Later starts reuse them.
 */

import { NO_DETAILS } from '../../domain/invoices/invoice-record.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import { parseDecimal } from '../../domain/money/decimal.ts';
import type { Application } from '../application.ts';
import type { AppDependencies } from '../dependencies.ts';
import { API_KEY_CONTEXT } from '../webhooks/attempt-delivery.ts';
import { createMerchant } from './manage-merchants.ts';

const DEMO_MERCHANT_NAME = 'Demo merchant';

export interface Demo {
  readonly sandboxKey: string;
  readonly checkoutUrl: string;
}

/**
 * Creates the demo if there is no merchant at all; null if there are merchants and none is the
 * demo.
 */
export async function demoMerchant(deps: AppDependencies, application: Application): Promise<Demo | null> {
  const merchants = await deps.operatorQueries.merchants();
  const existing = merchants.find((merchant) => merchant.name === DEMO_MERCHANT_NAME);
  if (!existing && merchants.length > 0) return null;
  const { merchant, sandboxKey } = existing ? await reopened(deps, existing) : await created(deps);
  return { sandboxKey, checkoutUrl: await demoInvoiceUrl(deps, application, merchant) };
}

async function created(deps: AppDependencies): Promise<{ merchant: Merchant; sandboxKey: string }> {
  return createMerchant(deps)({
    name: DEMO_MERCHANT_NAME,
    callbackUrl: null,
    allowedSubnets: ['127.0.0.1/32', '::1/128'],
    commissionPpm: null,
    live: false,
  });
}

async function reopened(
  deps: AppDependencies,
  merchant: Merchant,
): Promise<{ merchant: Merchant; sandboxKey: string }> {
  const key = await deps.unitOfWork.run((repositories) =>
    repositories.merchants.activeKey(merchant.id, 'sandbox'),
  );
  if (!key) throw new Error('the demo merchant has no sandbox key');
  return { merchant, sandboxKey: deps.vault.open(key.sealed, API_KEY_CONTEXT) };
}

async function demoInvoiceUrl(
  deps: AppDependencies,
  application: Application,
  merchant: Merchant,
): Promise<string> {
  const scope = { merchantId: merchant.id, sandbox: true };
  const youngest = await deps.queries.invoices(
    scope,
    { from: null, to: null, status: 'created', asset: null, ids: null },
    { by: 'created_at', order: 'desc' },
    { page: 1, perPage: 1 },
  );
  const open = youngest.rows.find((invoice) => invoice.expiresAt.getTime() > deps.clock.now().getTime());
  if (open) return `${deps.checkoutUrl}/checkout/${open.externalId}`;
  const amount = parseDecimal('25');
  if (!amount) throw new Error('unreachable: 25 is a decimal');
  const invoice = await application.createInvoice(
    { merchant, environment: 'sandbox', scope },
    {
      amount,
      fiatCurrency: 'USD',
      asset: null,
      ttlSeconds: 86_400,
      billingType: null,
      feeBearer: null,
      tolerancePpm: null,
      priceModifierPpm: null,
      acceptedCoins: null,
      excludedCoins: null,
      details: {
        ...NO_DETAILS,
        title: 'A demo invoice',
        description: 'Choose a currency; in the sandbox nothing is paid for real.',
      },
      webhookFormat: null,
      permanentAddress: false,
      userId: null,
    },
  );
  if (!invoice.ok) throw new Error(`the demo invoice was refused: ${invoice.error.message}`);
  return `${deps.checkoutUrl}/checkout/${invoice.value.externalId}`;
}
