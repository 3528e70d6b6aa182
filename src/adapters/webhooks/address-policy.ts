/**
 * The addresses that a webhook may be sent to. Deny by default: only globally routable unicast is
 * public, and an address that wraps another one (mapped, NAT64, 6to4, Teredo) is refused instead of
 * unwrapped.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The operator may allow `local` for a named host, but never `forbidden`. */
export type AddressClass =
  | { readonly kind: 'public' }
  | { readonly kind: 'local' | 'forbidden'; readonly description: string };

const LOCAL: Readonly<Record<string, string>> = {
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
};

const FORBIDDEN: Readonly<Record<string, string>> = {
  linkLocal: 'a link-local address',
  carrierGradeNat: 'a carrier-grade NAT address',
  unspecified: 'an unspecified address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  ipv4Mapped: 'an IPv4-mapped address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Responds only inside one cloud's machines: its metadata service, at an address that looks public.
 */
const CLOUD_METADATA_V4 = '168.63.129.16';

/** @param address the text of an IP address as a resolver gives it; anything else is forbidden */
export function classifyAddress(address: string): AddressClass {
  // node:net is strict; ipaddr.js also accepts 0x7f.1, 127.1 and 2130706433.
  if (isIP(address) === 0 || address.includes('%')) return forbidden('not a usable address');
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (LOCAL[range] !== undefined) return { kind: 'local', description: LOCAL[range] };
  if (range !== 'unicast') return forbidden(FORBIDDEN[range] ?? 'a reserved address');
  if (address === CLOUD_METADATA_V4) return forbidden('a reserved address');
  // ipaddr.js calls ::7f00:1, 1::1 and 4000::1 unicast, although they are not routed.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST_V6))
    return forbidden('a reserved address');
  return { kind: 'public' };
}

function forbidden(description: string): AddressClass {
  return { kind: 'forbidden', description };
}
