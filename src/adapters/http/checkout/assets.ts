/**
 * The files of the pages: stylesheets, script and icon. Bun bundles them in this process when they
 * are first needed. Each file name contains a digest of the content, so that browsers may keep the
 * file forever.
 */
import { acceptedEncoding, type Encoding, KeptText } from '../kit/compressed.ts';
import { FAVICON } from './page/icons.ts';

/**
 * `style` and `script` are those of every page; `receipt` and `link` are stylesheets beside it.
 * `wallets` is the script for wallets in the browser, loaded where there is one.
 */
export type AssetName = 'style' | 'script' | 'icon' | 'receipt' | 'link' | 'wallets';

export interface PageAssets {
  /** File names below `{home}/assets/page/`. */
  readonly names: Readonly<Record<AssetName, string>>;
  /**
   * Null for an unknown name. A name of another build gets this build's file, which is not cached.
   */
  serve(name: string, acceptEncoding: string | null): AssetAnswer | null;
}

export interface AssetAnswer {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

interface PageAsset {
  readonly name: string;
  readonly type: string;
  readonly text: KeptText;
}

const DIGEST_DIGITS = 16;
const NAME = new RegExp(
  `^(style|script|icon|receipt|link|wallets)-[0-9a-f]{${DIGEST_DIGITS}}\\.(?:css|js|svg)$`,
);
const BEST_QUALITY = 11;

let built: Promise<PageAssets> | null = null;

/** Built once. After a failure the next call builds again. */
export function pageAssets(): Promise<PageAssets> {
  built ??= build().catch((error: unknown) => {
    built = null;
    throw error;
  });
  return built;
}

async function build(): Promise<PageAssets> {
  const [style, script, receipt, link, wallets] = await Promise.all([
    bundled('client/checkout.css'),
    bundled('client/checkout.ts'),
    bundled('client/receipt.css'),
    bundled('client/link.css'),
    bundled('client/wallets/wallets.ts'),
  ]);
  const assets = {
    style: asset('style', 'css', 'text/css; charset=utf-8', style),
    receipt: asset('receipt', 'css', 'text/css; charset=utf-8', receipt),
    script: asset('script', 'js', 'text/javascript; charset=utf-8', script),
    link: asset('link', 'css', 'text/css; charset=utf-8', link),
    wallets: asset('wallets', 'js', 'text/javascript; charset=utf-8', wallets),
    icon: asset('icon', 'svg', 'image/svg+xml', FAVICON),
  };
  return {
    names: {
      style: assets.style.name,
      script: assets.script.name,
      icon: assets.icon.name,
      receipt: assets.receipt.name,
      link: assets.link.name,
      wallets: assets.wallets.name,
    },
    serve(name, acceptEncoding) {
      const kind = NAME.exec(name)?.[1];
      const found = kind === undefined ? null : assets[kind as AssetName];
      return found === null ? null : answered(found, name, acceptedEncoding(acceptEncoding));
    },
  };
}

async function bundled(path: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [Bun.fileURLToPath(new URL(path, import.meta.url))],
    target: 'browser',
    minify: true,
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`nothing was built from ${path}`);
  return output.text();
}

function asset(kind: string, ending: string, type: string, text: string): PageAsset {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS);
  return { name: `${kind}-${digest}.${ending}`, type, text: new KeptText(text, BEST_QUALITY) };
}

function answered(found: PageAsset, name: string, encoding: Encoding | null): AssetAnswer {
  return {
    body: encoding === null ? found.text.text : found.text.in(encoding),
    headers: {
      'content-type': found.type,
      'cache-control': name === found.name ? 'public, max-age=31536000, immutable' : 'no-store',
      vary: 'accept-encoding',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
  };
}
