/** Resolves a host once for an attempt. Every address of the answer is checked; one bad address refuses the whole host. */
import { isIP } from 'node:net';
import { classifyAddress } from './address-policy.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { WebhookTarget } from './webhook-target.ts';
import { within } from './within.ts';

/** Answers every address of a host name, or rejects. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Addresses that a connection may go to, the preferred one first. */
export type Checked = { readonly addresses: readonly [string, ...string[]] } | { readonly refusal: string };

/**
 * The system's resolvers and hosts file, asked without a thread for each question: `node:dns` (Bun 1.4.5) has sixteen of
 * them, so that sixteen names whose servers stay silent would keep every other name from being resolved for seconds
 * (safety W1). An answer is used as long as its own time to live says.
 */
export const systemResolve: Resolve = async (host) =>
  (await Bun.dns.lookup(host, { backend: 'c-ares' })).map((answer) => answer.address);

export async function checkedAddresses(
  target: WebhookTarget,
  rules: { allowed: AllowedHosts; resolve: Resolve; dnsMs: number; attempt: AbortSignal },
): Promise<Checked> {
  const addresses = target.isLiteral ? [target.host] : await resolved(target.host, rules);
  const first = addresses[0];
  if (first === undefined) return { refusal: 'the host name cannot be resolved' };
  const localAllowed = rules.allowed.includes(target);
  for (const address of addresses) {
    const found = classifyAddress(address);
    if (found.kind === 'public' || (found.kind === 'local' && localAllowed)) continue;
    // The address itself stays out of the reason: names of our own network may resolve here.
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
    // A resolver's failure and its silence mean the same here: unresolvable (specification, "Delivery" 4).
    return [];
  }
}
