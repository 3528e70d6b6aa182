/** What approvals keep of an order, as JSON, and back. Amounts are decimals in strings. */
import type { AssetCatalog } from '../../../domain/catalog/asset.ts';
import { type FiatCurrency, isFiatCurrency } from '../../../domain/catalog/fiat.ts';
import { type Decimal, formatUnits, parseDecimal } from '../../../domain/money/decimal.ts';
import type { FeeBearer } from '../../../domain/money/fee.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import type { PayoutInput } from '../../application.ts';
import type { RefundOffer } from '../../payouts/refunds/refund-order.ts';
import type { RefundOrder } from '../../payouts/refunds/refund-terms.ts';

export function payoutJson(input: PayoutInput): JsonObject {
  return {
    ...{ address: input.address, amount: decimalText(input.amount), asset: input.asset.key },
    ...{ fiat_currency: input.fiatCurrency, ref: input.ref, fee_bearer: input.feeBearer },
  };
}

/** Null: its asset is not in the catalog any more. */
export function payoutOf(order: JsonObject, catalog: AssetCatalog): PayoutInput | null {
  const asset = catalog.get(textOf(order, 'asset'));
  if (!asset) return null;
  return {
    ...{ address: textOf(order, 'address'), amount: decimalOf(order, 'amount'), asset },
    ...{ fiatCurrency: currencyOf(order), ref: textOrNull(order, 'ref') },
    feeBearer: textOrNull(order, 'fee_bearer') as FeeBearer | null,
  };
}

export function batchJson(inputs: readonly PayoutInput[]): JsonObject {
  return { items: inputs.map(payoutJson) };
}

/** Null: an asset is not in the catalog any more. */
export function batchOf({ items }: JsonObject, catalog: AssetCatalog): readonly PayoutInput[] | null {
  const inputs = (items as readonly JsonObject[]).map((item) => payoutOf(item, catalog));
  return inputs.every((input) => input !== null) ? inputs : null;
}

type Offered = Omit<RefundOffer, 'by'>;

export function offerJson({ of, amount, feeBearer, onCheckout, mails, days }: Offered): JsonObject {
  return {
    subject: of.subject,
    ...(of.subject === 'deposit' ? { deposit_id: of.depositId } : { invoice_id: of.invoiceId }),
    ...{ amount: amount === null ? null : decimalText(amount), fee_bearer: feeBearer },
    ...{ on_checkout: onCheckout, mails, days: String(days) },
  };
}

export function offerOf(order: JsonObject): Offered {
  const subject = textOf(order, 'subject') as RefundOffer['of']['subject'];
  return {
    of:
      subject === 'deposit'
        ? { subject, depositId: textOf(order, 'deposit_id') }
        : { subject, invoiceId: textOf(order, 'invoice_id') },
    amount: order.amount === null ? null : decimalOf(order, 'amount'),
    feeBearer: textOf(order, 'fee_bearer') as FeeBearer,
    ...{ onCheckout: order.on_checkout === true, mails: order.mails === true },
    days: Number(order.days),
  };
}

type Refund = Omit<RefundOrder, 'by' | 'dryRun'>;

export function refundJson(invoiceId: string, { to, amount, force }: Refund): JsonObject {
  return {
    ...{ invoice_id: invoiceId, to, amount: amount === null ? null : decimalText(amount) },
    force: force === true,
  };
}

export function refundOf(order: JsonObject): Refund {
  return {
    to: textOrNull(order, 'to'),
    amount: order.amount === null ? null : decimalOf(order, 'amount'),
    force: order.force === true,
  };
}

/** A text that the order must have: it was written above. */
export function textOf(order: JsonObject, name: string): string {
  const found = order[name];
  if (typeof found !== 'string') throw new Error(`an order without its ${name}`);
  return found;
}

export function textOrNull(order: JsonObject, name: string): string | null {
  return order[name] === null ? null : textOf(order, name);
}

function decimalText({ digits, scale }: Decimal): string {
  return formatUnits(digits, scale);
}

function decimalOf(order: JsonObject, name: string): Decimal {
  const found = parseDecimal(textOf(order, name));
  if (found === null) throw new Error(`an order whose ${name} is no decimal`);
  return found;
}

function currencyOf(order: JsonObject): FiatCurrency | 'native' | null {
  const code = textOrNull(order, 'fiat_currency');
  return code === null || code === 'native' || isFiatCurrency(code) ? code : null;
}
