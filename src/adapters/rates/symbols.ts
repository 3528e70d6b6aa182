/** The tickers that price sources are asked for. */
import { BUILT_IN_ASSETS } from '../../domain/asset.ts';
import { FIAT_CURRENCIES } from '../../domain/fiat.ts';

export const CRYPTO_SYMBOLS: readonly string[] = [...new Set(BUILT_IN_ASSETS.map((asset) => asset.symbol))];

/** Currencies other than USD, which everything is counted in. */
export const FIAT_CODES: readonly string[] = FIAT_CURRENCIES.filter((code) => code !== 'USD');
