/** Writes of merchants' branding. Inside UnitOfWork.run only. */

import type { BrandSettings } from '../../domain/merchants/brand.ts';
import type { Brand } from './checkout-queries.ts';

/** How a merchant's checkout looks. */
export interface BrandRepository {
  /** Null if there is no such merchant. Not locked. */
  find(merchantId: string): Promise<Brand | null>;
  /** Null if nothing was ever set. */
  lock(merchantId: string): Promise<BrandSettings | null>;
  /** Replaces what was set. */
  put(merchantId: string, brand: BrandSettings): Promise<Brand>;
}
