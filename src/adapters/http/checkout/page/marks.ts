/** Marks of coins and networks: decoration beside their names, told apart without colour too. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { chainNamed } from '../../../../domain/catalog/chain.ts';
import { isCoinSymbol } from '../../../../domain/catalog/coins.ts';
import { html, Markup } from './html.ts';
import { type Artwork, COIN_ARTWORK, NETWORK_ARTWORK } from './marks-artwork.ts';

/** The coin's mark; the first letter of a ticker without one. */
export function coinMark(symbol: string): Markup {
  const artwork = isCoinSymbol(symbol) ? COIN_ARTWORK[symbol] : undefined;
  return artwork === undefined
    ? html`<span class="badge" aria-hidden="true">${symbol.charAt(0)}</span>`
    : drawn(artwork, 'badge');
}

/** The network's mark: that of its native coin, unless it has one of its own. */
export function networkMark({ chain }: Pick<Asset, 'chain'>): Markup {
  const { name, coin } = chainNamed(chain);
  const artwork = NETWORK_ARTWORK[name] ?? COIN_ARTWORK[coin];
  return artwork === undefined ? html`` : drawn(artwork, 'net');
}

/** The coin's mark; a token's has that of its network on it. */
export function assetMark(asset: Pick<Asset, 'symbol' | 'chain' | 'type'>): Markup {
  const own = asset.type === 'native' && NETWORK_ARTWORK[asset.chain] === undefined;
  return html`<span class="badges">${coinMark(asset.symbol)}${own ? null : networkMark(asset)}</span>`;
}

/** The glyph is drawn in a square: at four fifths it fits the round ground. */
function drawn({ ground, glyph }: Artwork, name: string): Markup {
  return new Markup(
    `<svg class="${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="12" fill="${ground}"/><g fill="#fff" transform="translate(1.92 1.92) scale(.84)">${glyph}</g></svg>`,
  );
}
