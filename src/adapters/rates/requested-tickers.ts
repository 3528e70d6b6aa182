/** The tickers that price sources are asked for. */
import { COINS } from '../../domain/catalog/coins.ts';
import { FIAT_CURRENCIES } from '../../domain/catalog/fiat.ts';
import { keysOf } from '../../domain/catalog/keys-of.ts';

export const CRYPTO_SYMBOLS = keysOf(COINS);

/** All currencies except USD, the unit of every price. */
export const FIAT_CODES: readonly string[] = FIAT_CURRENCIES.filter((code) => code !== 'USD');
