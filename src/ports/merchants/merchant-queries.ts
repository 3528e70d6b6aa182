/** Reads of merchants for the console. */
import type { Merchant } from '../../domain/merchants/merchant.ts';

export interface LastNumber {
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly stream: 'events' | 'invoices';
  readonly seq: bigint;
}

export interface MerchantQueries {
  merchantById(id: string): Promise<Merchant | null>;
  /**
   * The number of the last event of each merchant, live and sandbox, which grows with each change
   * that the merchant is notified of; and the number of its last invoice. What has none is left
   * out.
   */
  lastNumbers(merchantIds: readonly string[]): Promise<readonly LastNumber[]>;
}
