/** Reads of merchants for the console. */
import type { Merchant } from '../../domain/merchants/merchant.ts';

export interface MerchantQueries {
  merchantById(id: string): Promise<Merchant | null>;
  /**
   * The number of the last event of each merchant, live and sandbox: it grows with each change that
   * the merchant is notified of. Merchants without events are left out.
   */
  lastEvents(
    merchantIds: readonly string[],
  ): Promise<readonly { merchantId: string; sandbox: boolean; seq: bigint }[]>;
}
