/** An operator's management of a merchant's branding: showing and changing it. */

import { type AppError, appError } from '../../domain/errors.ts';
import { type BrandSettings, NO_BRAND } from '../../domain/merchants/brand.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Brand } from '../../ports/checkout/checkout-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

/** A field that is not named keeps its value, or is removed if `clears`. */
export interface BrandChange extends Partial<BrandSettings> {
  readonly clears: boolean;
}

/** The current settings. */
export function showBrand(
  deps: Pick<AppDependencies, 'queries'>,
): (merchantId: string) => Promise<Result<Brand, AppError>> {
  return async (merchantId) => {
    const brand = await deps.queries.brand(merchantId);
    return brand === null ? err(noMerchant(merchantId)) : ok(brand);
  };
}

export function changeBrand(
  deps: Pick<AppDependencies, 'unitOfWork'>,
): (merchantId: string, change: BrandChange) => Promise<Result<Brand, AppError>> {
  return (merchantId, { clears, ...change }) =>
    deps.unitOfWork.run(async (repositories) => {
      if (!(await repositories.merchants.lock(merchantId))) return err(noMerchant(merchantId));
      const before = clears ? null : await repositories.brands.lock(merchantId);
      return ok(await repositories.brands.put(merchantId, { ...(before ?? NO_BRAND), ...change }));
    });
}

function noMerchant(id: string): AppError {
  return appError('NOT_FOUND', `No such merchant: ${id}`);
}
