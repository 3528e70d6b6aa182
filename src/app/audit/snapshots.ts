/**
 * What the audit log keeps of a subject, as it is at the moment of reading. Reads take no locks, so
 * that an audited use case locks in its own order (docs/architecture.md, rule 11). A snapshot has
 * everything that an action of a person changes, and never a secret: no key, no signing secret, and
 * no address of a till's page. Amounts are decimals of base units or micros, times ISO 8601.
 */
import type { AuditSubject } from '../../domain/audit/audit-entry.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import type { RefundClaim } from '../../domain/payouts/refund-claim.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { MONEY_SNAPSHOTS, payoutSnapshot } from './money-snapshots.ts';
import type { Snapshot, TakeSnapshot } from './snapshot.ts';

/**
 * By the id that entries have. A merchant's keys, webhook secrets and brand have the merchant's id,
 * an address and owner funding `chain:address` and `chain:asset`, and signing has any. What is not
 * here has no snapshot: its entries say in `note` and `after` what was done.
 */
const SNAPSHOTS: Partial<Record<AuditSubject, TakeSnapshot>> = {
  merchant: async ({ merchants }, id) => {
    const merchant = await merchants.find(id);
    return merchant && { merchantId: id, facts: merchantFacts(merchant) };
  },

  api_key: async ({ merchants }, merchantId) => {
    const keys = await merchants.keyTimes(merchantId);
    if (keys.length === 0) return null;
    const facts = keys.map(({ environment, createdAt, olderUntil }) => [
      environment,
      { since: time(createdAt), older_until: time(olderUntil) },
    ]);
    return { merchantId, facts: Object.fromEntries(facts) };
  },

  webhook_secret: async ({ webhookSecrets }, merchantId) => {
    const facts: Record<string, JsonObject> = {};
    for (const environment of ENVIRONMENTS) {
      const found = await webhookSecrets.find(merchantId, environment);
      if (found !== null)
        facts[environment] = {
          since: time(found.createdAt),
          older_until: time(found.older?.until ?? null),
        };
    }
    return Object.keys(facts).length === 0 ? null : { merchantId, facts };
  },

  brand: async ({ brands }, merchantId) => {
    const brand = await brands.find(merchantId);
    return (
      brand && {
        merchantId,
        facts: {
          ...{ name: brand.name, accent: brand.accent, logo_sha256: brand.logoDigest },
          ...{ support: brand.support, legal_name: brand.legalName, terms_url: brand.termsUrl },
          frame_ancestors: brand.frameAncestors,
        },
      }
    );
  },

  link: async ({ paymentLinks }, id) => {
    const link = await paymentLinks.find(id);
    if (link === null) return null;
    const { mode, amountMicros, leastMicros, mostMicros } = link;
    const facts: JsonObject = {
      ...{ sandbox: link.sandbox, mode, active: link.active, title: link.title },
      // Whoever knows the address of a till can take payments.
      ...(mode === 'point_of_sale' ? {} : { slug: link.slug }),
      ...{ description: link.description, picture_sha256: link.pictureDigest },
      ...{ fiat_currency: link.fiatCurrency, amount_micros: decimal(amountMicros) },
      ...{ least_micros: decimal(leastMicros), most_micros: decimal(mostMicros) },
      ...{ suggested_micros: link.suggestedMicros.map(String), tips_micros: link.tips.map(String) },
      ...{ accepted_coins: link.acceptedCoins, expires_at: time(link.expiresAt), stock: link.stock },
      ...{ fields: link.fields, success_url: link.successUrl, notify_url: link.notifyUrl },
      ...{ extra: link.extra, ttl_seconds: link.ttlSeconds },
    };
    return { merchantId: link.merchantId, facts };
  },

  permanent_address: async ({ permanentAddresses }, id) => {
    const found = await permanentAddresses.find(id);
    if (found === null) return null;
    const { merchantId, sandbox, userId, family, address, active, deactivatedAt, notifyUrl } = found;
    const facts = {
      ...{ sandbox, user_id: userId, family, address, active },
      ...{ deactivated_at: time(deactivatedAt), notify_url: notifyUrl },
    };
    return { merchantId, facts };
  },

  refund: async (repositories, id) => {
    const claim = await repositories.refundClaims.find(id);
    return claim === null ? payoutSnapshot(repositories, id) : claimSnapshot(claim);
  },

  signing: async ({ outgoing }) => {
    const stop = await outgoing.findSigningStop();
    const facts = { stopped_at: time(stop?.at ?? null), note: stop?.note ?? null };
    return { merchantId: null, facts };
  },

  ...MONEY_SNAPSHOTS,
};

/** Null if there is no such subject, or subjects of this kind have no snapshot. */
export async function snapshotOf(
  repositories: Repositories,
  { subject, subjectId }: { readonly subject: AuditSubject; readonly subjectId: string | null },
): Promise<Snapshot | null> {
  const take = SNAPSHOTS[subject];
  if (take === undefined) return null;
  if (subjectId !== null) return take(repositories, subjectId);
  return subject === 'signing' ? take(repositories, '') : null;
}

function merchantFacts(merchant: Merchant): JsonObject {
  return {
    ...{ name: merchant.name, status: merchant.status, kyc: merchant.kyc },
    ...{ callback_url: merchant.callbackUrl, payout_webhooks: merchant.payoutWebhooks },
    ...{ default_fee_bearer: merchant.defaultFeeBearer, commission_ppm: String(merchant.commissionPpm) },
    allowed_subnets: merchant.allowedSubnets,
    approval_above_micro_usd: decimal(merchant.approvalAboveMicroUsd),
    ...{
      default_tolerance_ppm: decimal(merchant.defaultTolerancePpm),
      accepted_coins: merchant.acceptedCoins,
    },
    ...{
      default_webhook_format: merchant.defaultWebhookFormat,
      checkout_language: merchant.checkoutLanguage,
    },
  };
}

function claimSnapshot(claim: RefundClaim): Snapshot {
  const { merchantId, sandbox, status, subject, invoiceId, depositId, asset, units, address } = claim;
  const facts = {
    ...{
      sandbox,
      status,
      subject,
      invoice_id: invoiceId,
      deposit_id: depositId,
      asset,
      units: String(units),
    },
    ...{ address, payout_id: claim.payoutId, fee_bearer: claim.feeBearer, ordered_by: claim.orderedBy },
    ...{ on_checkout: claim.onCheckout, ends_at: time(claim.expiresAt) },
  };
  return { merchantId, facts };
}

function decimal(units: bigint | null): string | null {
  return units === null ? null : String(units);
}

function time(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}
