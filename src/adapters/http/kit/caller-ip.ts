/**
 * The caller's address behind trusted proxies, and whether a merchant allows it to make payouts
 * (safety.md, "Caller's address").
 */
import ipaddr from 'ipaddr.js';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
type AddressRange = readonly [IpAddress, number];

export class CallerIp {
  readonly #trusted: readonly AddressRange[];

  /**
   * Throws for a proxy that is neither an address nor a CIDR: configuration is checked at start.
   */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map((text) => {
      const range = parseRange(text);
      if (range === null) throw new Error(`not an address or CIDR: ${text}`);
      return range;
    });
  }

  /**
   * The socket's address. If that is a trusted proxy: the first untrusted address of
   * X-Forwarded-For, read from right to left. Null when an address on that path is malformed. A
   * caller without an address is denied.
   */
  resolve(socketAddress: string | null, forwardedFor: string | null): string | null {
    const socket = socketAddress === null ? null : parseAddress(socketAddress);
    if (socket === null) return null;
    if (forwardedFor === null || !this.#isTrusted(socket)) return socket.toString();
    let nearest = socket;
    for (const hop of forwardedFor.split(',').reverse()) {
      const address = parseAddress(hop.trim());
      if (address === null) return null;
      nearest = address;
      if (!this.#isTrusted(address)) break;
    }
    return nearest.toString();
  }

  #isTrusted(address: IpAddress): boolean {
    return this.#trusted.some((range) => contains(range, address));
  }
}

/**
 * Whether `ip` is in one of the merchant's subnets. An empty list, or a malformed range, allows no
 * address.
 */
export function isAllowed(ip: string | null, subnets: readonly string[]): boolean {
  const address = ip === null ? null : parseAddress(ip);
  if (address === null) return false;
  return subnets.some((text) => {
    const range = parseRange(text);
    return range !== null && contains(range, address);
  });
}

/** Whether it is an address or a CIDR range, as isAllowed reads them. */
export function isRange(text: string): boolean {
  return parseRange(text) !== null;
}

/** The unit of a rate limit: the IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(ip: string | null): string {
  const address = ip === null ? null : parseAddress(ip);
  if (address === null) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  const network = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

const DOTTED_DECIMAL = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * Accepts only the full dotted form of IPv4; ipaddr.js also reads 0x7f.1 and 127.1. An IPv4-mapped
 * address is returned as IPv4.
 */
function parseAddress(text: string): IpAddress | null {
  const isV6 = text.includes(':');
  if (!isV6 && !DOTTED_DECIMAL.test(text)) return null;
  if (isV6 && text.includes('%')) return null;
  if (!(isV6 ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text))) return null;
  return ipaddr.process(text);
}

function parseRange(text: string): AddressRange | null {
  const [base = '', bits, ...rest] = text.trim().split('/');
  const address = parseAddress(base);
  if (address === null || rest.length > 0) return null;
  const width = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, width];
  if (!/^\d{1,3}$/.test(bits)) return null;
  const mapped = base.includes(':') && address.kind() === 'ipv4';
  const length = mapped ? Number(bits) - 96 : Number(bits);
  return length >= 0 && length <= width ? [address, length] : null;
}

function contains([base, bits]: AddressRange, address: IpAddress): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}
