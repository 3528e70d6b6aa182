/**
 * Earlier choices of an invoice <-> JSON text: amounts as text, so that no reader rounds them.
 * Statements read it as jsonb.
 */
import type { InvoiceChoice } from '../../../domain/invoices/invoice-record.ts';

interface StoredChoice {
  readonly asset: string;
  readonly due_units: string;
  readonly base_units: string;
  readonly original_units: string | null;
  readonly deferral_units: string;
  readonly address_to: string;
  readonly permanent_address_id: string | null;
}

/** Null if there are none. */
export function choicesToText(choices: readonly InvoiceChoice[]): string | null {
  return choices.length === 0 ? null : JSON.stringify(choices.map(stored));
}

export function choicesFromText(text: string | null): readonly InvoiceChoice[] {
  return text === null ? [] : (JSON.parse(text) as readonly StoredChoice[]).map(choice);
}

function stored({ price, addressTo, permanentAddressId }: InvoiceChoice): StoredChoice {
  return {
    asset: price.asset,
    due_units: price.dueUnits.toString(),
    base_units: price.baseUnits.toString(),
    original_units: price.originalUnits?.toString() ?? null,
    deferral_units: price.deferralUnits.toString(),
    address_to: addressTo,
    permanent_address_id: permanentAddressId,
  };
}

function choice(row: StoredChoice): InvoiceChoice {
  return {
    price: {
      asset: row.asset,
      dueUnits: BigInt(row.due_units),
      baseUnits: BigInt(row.base_units),
      originalUnits: row.original_units === null ? null : BigInt(row.original_units),
      deferralUnits: BigInt(row.deferral_units),
    },
    addressTo: row.address_to,
    permanentAddressId: row.permanent_address_id,
  };
}
