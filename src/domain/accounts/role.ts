/**
 * Who may do what in the console. A user has one role per merchant, or one role as an operator.
 * Pure.
 */

export const MERCHANT_ROLES = ['owner', 'developer', 'accountant', 'support'] as const;
export type MerchantRole = (typeof MERCHANT_ROLES)[number];
export const OPERATOR_ROLES = ['admin', 'treasurer', 'viewer'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];
export type Role = MerchantRole | OperatorRole;

/** What a page or an action of a merchant's console needs. */
export const MERCHANT_PERMISSIONS = [
  /** Overview, payments with their time lines, links, addresses, payouts: to look at. */
  'payments.read',
  /** Balance, ledger and statements, also as files. */
  'ledger.read',
  'settings.read',
  /** Opens invoices and manages links and permanent addresses. */
  'payments.create',
  /** Accepts partly paid invoices, asks for credit of unmatched deposits. */
  'payments.decide',
  'webhooks.resend',
  /** Offers refunds, up to the limit of the user's membership. */
  'refunds.offer',
  'payouts.create',
  'payouts.cancel',
  /** Looks at approvals that wait, and decides on what the role could order itself. */
  'approvals.decide',
  /** Brand, webhook URL, formats, coins, tolerance, fee bearer. */
  'settings.change',
  /** API keys, webhook secrets, allowed addresses. */
  'keys.manage',
  'users.manage',
  /** The simulator of the sandbox. */
  'sandbox.simulate',
] as const;
export type MerchantPermission = (typeof MERCHANT_PERMISSIONS)[number];

/** What a page or an action of the operators' console needs. */
export const OPERATOR_PERMISSIONS = [
  /** All pages, and no action. */
  'operator.read',
  /** Held payouts, risk, unmatched deposits, restored payouts. */
  'queue.decide',
  /** Sweeps, owner funding, frozen addresses. */
  'treasury.manage',
  /** The kill switch. */
  'signing.switch',
  'merchants.manage',
  'operators.manage',
  'audit.read',
] as const;
export type OperatorPermission = (typeof OPERATOR_PERMISSIONS)[number];
export type Permission = MerchantPermission | OperatorPermission;

const GRANTS: {
  readonly [Of in MerchantRole]: readonly MerchantPermission[];
} & { readonly [Of in OperatorRole]: readonly OperatorPermission[] } = {
  owner: MERCHANT_PERMISSIONS,
  developer: [
    ...['payments.read', 'settings.read', 'payments.create', 'webhooks.resend'],
    ...['settings.change', 'keys.manage', 'sandbox.simulate', 'approvals.decide'],
  ] as readonly MerchantPermission[],
  accountant: ['payments.read', 'ledger.read'],
  support: ['payments.read', 'webhooks.resend', 'refunds.offer', 'approvals.decide'],
  admin: OPERATOR_PERMISSIONS,
  treasurer: ['operator.read', 'queue.decide', 'treasury.manage', 'signing.switch', 'audit.read'],
  viewer: ['operator.read', 'audit.read'],
};

export function isGranted(role: Role, permission: Permission): boolean {
  return (GRANTS[role] as readonly Permission[]).includes(permission);
}

/**
 * Actions that move money out, or change who can. They need a session with a second factor, whoever
 * the user is. Operators need one for everything.
 */
const NEEDS_SECOND_FACTOR: ReadonlySet<Permission> = new Set<Permission>([
  ...([
    'refunds.offer',
    'payouts.create',
    'payments.decide',
    'keys.manage',
    'users.manage',
    'approvals.decide',
  ] as const),
  ...OPERATOR_PERMISSIONS,
]);

export function needsSecondFactor(permission: Permission): boolean {
  return NEEDS_SECOND_FACTOR.has(permission);
}
