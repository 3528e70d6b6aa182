/**
 * Which coins an invoice may name: enabled, with a usable chain at present, and not excluded by it.
 */
import { isPermanentFamily } from '../../domain/catalog/family.ts';
import { type AppError, assetDisabled, invoiceRejected } from '../../domain/errors.ts';
import type { CreateInvoiceInput } from '../application.ts';
import {
  type AssetChoice,
  chainTrouble,
  isEnabled,
  payableAssets,
  troubleOfChoice,
} from '../catalog/asset-access.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Why an invoice's coins are refused, for good or at present; null if they are accepted. */
export function refusedAssetChoice(
  deps: AppDependencies,
  sandbox: boolean,
  input: CreateInvoiceInput,
): AppError | null {
  const { asset } = input;
  if (asset !== null && input.permanentAddress && !isPermanentFamily(asset.family)) {
    return invoiceRejected(
      'xmr_permanent',
      'XMR has no permanent addresses. Create the invoice without permanent_address.',
    );
  }
  const trouble = asset === null ? null : chainTrouble(deps, asset, sandbox);
  if (trouble) return trouble;
  if (asset !== null && !isEnabled(deps, asset, sandbox)) {
    return invoiceRejected('asset_disabled', assetDisabled(asset));
  }
  const choice = assetChoiceOf(input, sandbox);
  const payable = payableAssets(deps, choice);
  if (payable.length === 0) {
    return (
      troubleOfChoice(deps, choice) ??
      invoiceRejected(
        'no_asset_left',
        'accepted_coins and excluded_coins leave no enabled asset. GET /api/v2/assets lists the enabled assets.',
      )
    );
  }
  if (asset !== null && !payable.includes(asset)) {
    return invoiceRejected('asset_excluded', `accepted_coins or excluded_coins exclude ${asset.key}.`);
  }
  return null;
}

/** The coins among which the customer may choose. */
export function assetChoiceOf(input: CreateInvoiceInput, sandbox: boolean): AssetChoice {
  const { acceptedCoins, excludedCoins, permanentAddress } = input;
  return { sandbox, acceptedCoins, excludedCoins, bindsPermanentAddress: permanentAddress };
}
