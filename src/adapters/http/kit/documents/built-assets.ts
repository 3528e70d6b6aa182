/**
 * The files of pages: stylesheets, scripts, icons. Bun bundles them in this process when they are
 * first needed. Each file name contains a digest of the content, so that browsers may keep the file
 * forever.
 */
import { acceptedEncoding, type Encoding, KeptText } from './compressed.ts';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** `entry`: the file to bundle, as a URL. */
export type AssetSource =
  | { readonly ending: 'css' | 'js'; readonly entry: URL }
  | { readonly ending: keyof typeof TYPES; readonly text: string };

export interface BuiltAssets<Name extends string> {
  /** Compresses them before they are asked for. */
  prepare(): Promise<void>;
  /** File names, `style-0a1b2c3d4e5f6071.css` for `style`. */
  readonly names: Readonly<Record<Name, string>>;
  /**
   * Null for an unknown name. A name of another build gets this build's file, which is not cached.
   */
  serve(name: string, acceptEncoding: string | null): AssetAnswer | null;
}

export interface AssetAnswer {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Asset {
  readonly name: string;
  readonly type: string;
  readonly text: KeptText;
}

const DIGEST_DIGITS = 16;
const NAME = new RegExp(`^([a-z]+)-[0-9a-f]{${DIGEST_DIGITS}}\\.(css|js|svg)$`);
const BEST_QUALITY = 11;

/** Builds at the first call. After a failure the next call builds again. */
export function builtAssets<Name extends string>(
  sources: Readonly<Record<Name, AssetSource>>,
): () => Promise<BuiltAssets<Name>> {
  let built: Promise<BuiltAssets<Name>> | null = null;
  return () => {
    built ??= build(sources).catch((error: unknown) => {
      built = null;
      throw error;
    });
    return built;
  };
}

async function build<Name extends string>(
  sources: Readonly<Record<Name, AssetSource>>,
): Promise<BuiltAssets<Name>> {
  const kinds = Object.keys(sources) as Name[];
  const assets = new Map<string, Asset>(
    await Promise.all(
      kinds.map(async (kind) => {
        const source: AssetSource = sources[kind];
        const text = 'text' in source ? source.text : await bundled(source.entry);
        return [kind, asset(kind, source.ending, text)] as const;
      }),
    ),
  );
  const names = Object.fromEntries([...assets].map(([kind, { name }]) => [kind, name]));
  return {
    names: names as Record<Name, string>,
    async prepare() {
      for (const { text } of assets.values()) await text.prepare();
    },
    serve(name, acceptEncoding) {
      const [, kind, ending] = NAME.exec(name) ?? [];
      const found = kind === undefined ? undefined : assets.get(kind);
      if (found === undefined || !found.name.endsWith(`.${ending}`)) return null;
      return answered(found, name, acceptedEncoding(acceptEncoding));
    },
  };
}

async function bundled(entry: URL): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [Bun.fileURLToPath(entry)],
    target: 'browser',
    minify: true,
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`nothing was built from ${entry.pathname}`);
  return output.text();
}

function asset(kind: string, ending: keyof typeof TYPES, text: string): Asset {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS);
  return { name: `${kind}-${digest}.${ending}`, type: TYPES[ending], text: new KeptText(text, BEST_QUALITY) };
}

function answered(found: Asset, name: string, encoding: Encoding | null): AssetAnswer {
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
