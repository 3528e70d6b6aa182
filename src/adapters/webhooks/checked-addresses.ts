/**
 * Resolves a host once per attempt. Every returned address is checked; one bad address refuses the
 * whole host.
 */
import { isIP } from 'node:net';
import { classifyAddress } from './address-policy.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { WebhookTarget } from './webhook-target.ts';
import { within } from './within.ts';

/** Returns every address of a host name, or rejects. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Addresses that a connection may use, the preferred one first. */
export type CheckedAddresses =
  | { readonly addresses: readonly [string, ...string[]] }
  | { readonly refusal: string };

/**
 * Uses the system's resolvers and hosts file without a thread per question: `node:dns` (Bun 1.4.5)
 * has sixteen threads, so sixteen names with silent servers would block every other name for
 * seconds (safety W1). A result is used for its own time to live.
 */
export const systemResolve: Resolve = async (host) =>
  (await Bun.dns.lookup(host, { backend: 'c-ares' })).map((answer) => answer.address);

export async function checkedAddresses(
  target: WebhookTarget,
  rules: { allowed: AllowedHosts; resolve: Resolve; dnsMs: number; attempt: AbortSignal },
): Promise<CheckedAddresses> {
  const addresses = target.isLiteral ? [target.host] : await resolved(target.host, rules);
  const first = addresses[0];
  if (first === undefined) return { refusal: 'the host name cannot be resolved' };
  const localAllowed = rules.allowed.includes(target);
  for (const address of addresses) {
    const found = classifyAddress(address);
    if (found.kind === 'public' || (found.kind === 'local' && localAllowed)) continue;
    // The reason omits the address: names of the gateway's own network may resolve here.
    return { refusal: `the host ${target.isLiteral ? 'is' : 'resolves to'} ${found.description}` };
  }
  const preferred = addresses.find((address) => isIP(address) === 4) ?? first;
  return { addresses: [preferred, ...addresses] };
}

async function resolved(
  host: string,
  rules: { resolve: Resolve; dnsMs: number; attempt: AbortSignal },
): Promise<readonly string[]> {
  try {
    const limit = { ms: rules.dnsMs, late: 'name resolution timed out', attempt: rules.attempt };
    return await within(rules.resolve(host), limit);
  } catch {
    // A resolver's failure and its silence mean the same here: unresolvable (specification,
    // "Delivery" 4).
    return [];
  }
}
