/** The merchant's defaults for a new invoice: an explicit value always wins. */
import { type AppError, invoiceRejected } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { CreateInvoiceInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * The coins count only if the invoice names neither coins nor an asset. Those that the catalog has
 * not, or that are switched off, are left out.
 */
export function withDefaults(
  { catalog }: Pick<AppDependencies, 'catalog'>,
  { merchant }: Caller,
  input: CreateInvoiceInput,
): Result<CreateInvoiceInput, AppError> {
  const { defaultTolerancePpm, defaultWebhookFormat, acceptedCoins } = merchant;
  const filled = {
    ...input,
    tolerancePpm: input.tolerancePpm ?? defaultTolerancePpm,
    webhookFormat: input.webhookFormat ?? defaultWebhookFormat,
  };
  const names = input.asset !== null || input.acceptedCoins !== null || input.excludedCoins !== null;
  if (acceptedCoins === null || names) return ok(filled);
  const left = acceptedCoins.filter((key) => catalog.isListed(key) && catalog.get(key)?.enabled === true);
  if (left.length > 0) return ok({ ...filled, acceptedCoins: left });
  return err(
    invoiceRejected(
      'no_asset_left',
      `All coins of the merchant's default (${acceptedCoins.join(', ')}) are switched off. Name accepted_coins or an asset, or change the default.`,
    ),
  );
}
