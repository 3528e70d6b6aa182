/** The tickers that price sources are asked for. */
import { COINS } from '../../domain/catalog/coins.ts';
import { FIAT_CURRENCIES } from '../../domain/catalog/fiat.ts';
import { keysOf } from '../../domain/catalog/keys-of.ts';

export const CRYPTO_SYMBOLS = keysOf(COINS);

/** Currencies other than USD, which everything is counted in. */
export const FIAT_CODES: readonly string[] = FIAT_CURRENCIES.filter((code) => code !== 'USD');
