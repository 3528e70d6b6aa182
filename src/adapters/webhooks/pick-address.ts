/** Resolves a host once and picks the address to connect to. Every answer is checked; one bad address refuses the whole host. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { classifyAddress } from './address-policy.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { WebhookTarget } from './webhook-target.ts';
import { within } from './within.ts';

/** Answers every address of a host name, or rejects. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export type Picked = { readonly address: string } | { readonly refusal: string };

/** The system's resolver (hosts file included): the one that ordinary clients of this machine would use. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((answer) => answer.address);

export async function pickAddress(
  target: WebhookTarget,
  rules: { allowed: AllowedHosts; resolve: Resolve; dnsMs: number; attempt: AbortSignal },
): Promise<Picked> {
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
  return { address: addresses.find((address) => isIP(address) === 4) ?? first };
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
