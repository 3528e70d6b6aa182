/** What CONFIG_FILE says about the hosted checkout. */
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox';
import { closed } from './json-file.ts';

const EXPLORER = 'quittance-explorer';
const PLACE = '{txid}';
FormatRegistry.Set(EXPLORER, isExplorer);

const Explorer = Type.Union([Type.String({ format: EXPLORER }), Type.Null()], {
  description: `an https URL with ${PLACE} once in its path, query or fragment, or null`,
});

export const checkoutFields = (chains: readonly string[]) => {
  const each: Record<string, TSchema> = Object.fromEntries(
    chains.map((chain) => [chain, Type.Optional(Explorer)]),
  );
  return Type.Object({ explorers: Type.Optional(Type.Object(each, closed)) }, closed);
};

export interface CheckoutInFile {
  readonly explorers?: Record<string, Static<typeof Explorer>>;
}

/** Plain http is for a test network's explorer on this machine. The transaction must not decide which host is asked. */
function isExplorer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[\s\\]/.test(text) || url.username !== '' || url.password !== '') return false;
  const own = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const [before = '', ...after] = text.split(PLACE);
  const behindHost = /^https?:\/\/[^/?#]+[/?#]/i.test(before);
  return (url.protocol === 'https:' || (own && url.protocol === 'http:')) && behindHost && after.length === 1;
}
