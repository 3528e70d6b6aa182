/** The files of the checkout's pages, below `{home}/assets/page/`. */
import { type BuiltAssets, builtAssets } from '../kit/documents/built-assets.ts';
import { FAVICON } from './page/icons.ts';

/**
 * `style` and `script` are those of every page; `receipt` and `link` are stylesheets beside it.
 * `wallets` is the script for wallets in the browser, loaded where there is one.
 */
export type AssetName = 'style' | 'script' | 'icon' | 'receipt' | 'link' | 'wallets';

export const pageAssets: () => Promise<BuiltAssets<AssetName>> = builtAssets({
  style: { ending: 'css', entry: new URL('client/checkout.css', import.meta.url) },
  receipt: { ending: 'css', entry: new URL('client/receipt.css', import.meta.url) },
  script: { ending: 'js', entry: new URL('client/checkout.ts', import.meta.url) },
  link: { ending: 'css', entry: new URL('client/link.css', import.meta.url) },
  wallets: { ending: 'js', entry: new URL('client/wallets/wallets.ts', import.meta.url) },
  icon: { ending: 'svg', text: FAVICON },
});
