/** An operator's management of a merchant's branding: showing and changing it. */

import { type AppError, appError } from '../../domain/errors.ts';
import type { BrandSettings } from '../../domain/merchants/brand.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Brand } from '../../ports/checkout/checkout-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

const NO_BRAND: Brand = { name: null, accent: null, logoDigest: null };

/** A field that is not named keeps its value, or is removed if `clears`. */
export interface BrandChange extends Partial<BrandSettings> {
  readonly clears: boolean;
}

/** The current settings, all empty if none was ever set. */
export function showBrand(
  deps: Pick<AppDependencies, 'queries' | 'unitOfWork'>,
): (merchantId: string) => Promise<Result<Brand, AppError>> {
  return async (merchantId) => {
    const merchant = await deps.unitOfWork.run((repositories) => repositories.merchants.find(merchantId));
    if (!merchant) return err(noMerchant(merchantId));
    return ok((await deps.queries.brand(merchantId)) ?? NO_BRAND);
  };
}

export function changeBrand(
  deps: Pick<AppDependencies, 'unitOfWork'>,
): (merchantId: string, change: BrandChange) => Promise<Result<Brand, AppError>> {
  return (merchantId, { clears, ...change }) =>
    deps.unitOfWork.run(async (repositories) => {
      if (!(await repositories.merchants.lock(merchantId))) return err(noMerchant(merchantId));
      const before = clears ? null : await repositories.brands.lock(merchantId);
      return ok(await repositories.brands.put(merchantId, { ...(before ?? NOTHING), ...change }));
    });
}

const NOTHING: BrandSettings = { name: null, accent: null, logo: null };

function noMerchant(id: string): AppError {
  return appError('NOT_FOUND', `No such merchant: ${id}`);
}
