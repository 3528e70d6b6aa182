/** The part of CONFIG_FILE about the hosted checkout. */
import { FormatRegistry, Type } from '@sinclair/typebox';
import { closed, documented, named } from './json-file.ts';

const EXPLORER = 'quittance-explorer';
const PLACE = '{txid}';
FormatRegistry.Set(EXPLORER, isExplorer);

const Explorer = documented(
  Type.Union([Type.String({ format: EXPLORER }), Type.Null()], {
    description: `an https URL with ${PLACE} once in its path, query or fragment, or null`,
  }),
  'a well-known one of the main network; test networks have none',
  'Link of the checkout to a transaction. `null`: no link',
);

export const checkoutFields = (chains: readonly string[]) =>
  Type.Object({ explorers: named('<chain>', chains, () => Explorer) }, closed);

/**
 * Plain http is for a test network's explorer on this machine. The transaction must not determine
 * the host.
 */
function isExplorer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[\s\\]/.test(text) || url.username !== '' || url.password !== '') return false;
  const own = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const [before = '', ...after] = text.split(PLACE);
  const behindHost = /^https?:\/\/[^/?#]+[/?#]/i.test(before);
  return (url.protocol === 'https:' || (own && url.protocol === 'http:')) && behindHost && after.length === 1;
}
