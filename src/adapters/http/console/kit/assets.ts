/** The files of the console's pages, below `/console/assets/`. */
import { FAVICON } from '../../checkout/page/icons.ts';
import { type BuiltAssets, builtAssets } from '../../kit/documents/built-assets.ts';

/** `script` has htmx; `charts` has uPlot, and is loaded by pages with a chart. */
export type ConsoleAssetName = 'style' | 'script' | 'charts' | 'icon';

export const consoleAssets: () => Promise<BuiltAssets<ConsoleAssetName>> = builtAssets({
  style: { ending: 'css', entry: new URL('../client/console.css', import.meta.url) },
  script: { ending: 'js', entry: new URL('../client/console.ts', import.meta.url) },
  charts: { ending: 'js', entry: new URL('../client/charts.ts', import.meta.url) },
  icon: { ending: 'svg', text: FAVICON },
});
