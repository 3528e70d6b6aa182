/** The headers that a webhook has in every format: what it is, and its signatures. */
import type { SigningKeys } from '../../ports/webhooks/webhook-signer.ts';
import type { AppDependencies } from '../dependencies.ts';

/** One attempt at sending it. */
export interface SentWebhook {
  /** Of the delivery: the same at every attempt. */
  readonly id: string;
  readonly attempt: number;
  readonly eventSeq: number | null;
  readonly sandbox: boolean;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
  readonly at: Date;
}

/** Our own words for headers, and the same under every prefix that the operator names. */
const OWN_PREFIX = 'X-Service';

/** Makes them with opened keys. */
export function webhookHeaders(
  deps: Pick<AppDependencies, 'webhookSigner' | 'webhookHeaderPrefixes' | 'version'>,
): (webhook: SentWebhook, keys: SigningKeys) => Readonly<Record<string, string>> {
  const userAgent = `Quittance-Webhook/${deps.version}`;
  const prefixes = [OWN_PREFIX, ...deps.webhookHeaderPrefixes];

  function own({ id, attempt, eventSeq, sandbox, body }: SentWebhook, keys: SigningKeys) {
    const { current, other } = keys;
    return [
      ['Signature', deps.webhookSigner.sign(body, current)],
      ...(other === null ? [] : [['Signature-Previous', deps.webhookSigner.sign(body, other)]]),
      ['Delivery', id],
      ['Attempt', String(attempt)],
      ...(eventSeq === null ? [] : [['Event-Seq', String(eventSeq)]]),
      ...(sandbox ? [['Sandbox', 'true']] : []),
    ] as const;
  }

  /** Of Standard Webhooks (standardwebhooks.com). None before a secret was made. */
  function standard({ id, body, at }: SentWebhook, { secrets }: SigningKeys): Record<string, string> {
    if (secrets.length === 0) return {};
    const unixSeconds = Math.floor(at.getTime() / 1000);
    const signatures = secrets.map((secret) =>
      deps.webhookSigner.signStandard({ id, unixSeconds, body }, secret),
    );
    return {
      'webhook-id': id,
      'webhook-timestamp': String(unixSeconds),
      'webhook-signature': signatures.join(' '),
    };
  }

  return (webhook, keys) => {
    const headers = own(webhook, keys);
    const named = prefixes.flatMap((prefix) => headers.map(([name, value]) => [`${prefix}-${name}`, value]));
    return { 'User-Agent': userAgent, ...Object.fromEntries(named), ...standard(webhook, keys) };
  };
}
