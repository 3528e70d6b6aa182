/** Who may do what: each role and permission written out once more, by hand. */
import { describe, expect, test } from 'bun:test';
import {
  isGranted,
  MERCHANT_PERMISSIONS,
  MERCHANT_ROLES,
  needsSecondFactor,
  OPERATOR_PERMISSIONS,
  OPERATOR_ROLES,
} from '../../../src/domain/accounts/role.ts';

//                    owner developer accountant support | admin treasurer viewer
const MATRIX = `
payments.read          x      x          x         x     |   -      -       -
ledger.read            x      -          x         -     |   -      -       -
settings.read          x      x          -         -     |   -      -       -
payments.create        x      x          -         -     |   -      -       -
payments.decide        x      -          -         -     |   -      -       -
webhooks.resend        x      x          -         x     |   -      -       -
refunds.offer          x      -          -         x     |   -      -       -
payouts.create         x      -          -         -     |   -      -       -
payouts.cancel         x      -          -         -     |   -      -       -
approvals.decide       x      x          -         x     |   -      -       -
settings.change        x      x          -         -     |   -      -       -
keys.manage            x      x          -         -     |   -      -       -
users.manage           x      -          -         -     |   -      -       -
sandbox.simulate       x      x          -         -     |   -      -       -
operator.read          -      -          -         -     |   x      x       x
queue.decide           -      -          -         -     |   x      x       -
treasury.manage        -      -          -         -     |   x      x       -
signing.switch         -      -          -         -     |   x      x       -
merchants.manage       -      -          -         -     |   x      -       -
operators.manage       -      -          -         -     |   x      -       -
audit.read             -      -          -         -     |   x      x       x`;

describe('roles', () => {
  const rows = MATRIX.trim()
    .split('\n')
    .map((row) => row.replace('|', '').split(/\s+/));
  const roles = [...MERCHANT_ROLES, ...OPERATOR_ROLES];
  const permissions = [...MERCHANT_PERMISSIONS, ...OPERATOR_PERMISSIONS];

  test('every role may do what the table says, and nothing else', () => {
    const may: readonly (readonly string[])[] = permissions.map((permission) => [
      permission,
      ...roles.map((role) => (isGranted(role, permission) ? 'x' : '-')),
    ]);
    expect(may).toEqual(rows);
  });

  test('what moves money, or changes who can, needs a second factor; operators need one for everything', () => {
    expect(permissions.filter((permission) => !needsSecondFactor(permission))).toEqual([
      ...(['payments.read', 'ledger.read', 'settings.read', 'payments.create', 'webhooks.resend'] as const),
      ...(['payouts.cancel', 'settings.change', 'sandbox.simulate'] as const),
    ]);
  });
});
