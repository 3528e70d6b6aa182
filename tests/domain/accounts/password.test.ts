/** Which passwords are taken, which recovery codes are made, and what is one address. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { passwordFault, preparedPassword } from '../../../src/domain/accounts/password.ts';
import { normalizedRecoveryCode, recoveryCodeFrom } from '../../../src/domain/accounts/recovery-code.ts';
import {
  displayName,
  leavesNobody,
  normalizedEmail,
  type RoleHolder,
} from '../../../src/domain/accounts/user.ts';

const EMAIL = 'ann.smith@shop.example';

describe('passwords', () => {
  test.each(
    [
      ['', 'password_too_short'],
      ['elevenchars', 'password_too_short'],
      ['😀'.repeat(11), 'password_too_short'],
      ['ab cd ef '.repeat(30), 'password_too_long'],
      ['x'.repeat(1_000_000), 'password_too_long'],
      ...[
        ...['password1234', 'Password123!', 'PASSWORD-2026', 'qwertyuiop12', '123456789012', '098765432109'],
      ],
      ...[
        'aaaaaaaaaaaa',
        'abababababab',
        'abc123abc123',
        'abcdefghijkl',
        'lkjihgfedcba',
        'correcthorsebatterystaple',
      ],
      ...[
        'iloveyou2026',
        'letmeinplease',
        'administrator1',
        'Welcome!!2026',
        EMAIL,
        `${EMAIL}!`,
        'ann.smith1234',
      ],
      ...['Satoshi Nakamoto 21', '1q2w3e4r5t6y'],
    ].map((each) => (typeof each === 'string' ? [each, 'password_common'] : each) as [string, string]),
  )('an easy or impossible password is refused (%#)', (password, fault) => {
    expect(passwordFault(password, EMAIL)).toBe(fault as never);
  });

  test.each([
    'a stable with 9 horses',
    'Tr0ub4dor&3-xkcd',
    'grüne Wiesen im Mai',
    '83920175638201',
    'ann.smith likes tea',
    'パスワードは長いほうがいい',
  ])('%s is taken', (password) => expect(passwordFault(password, EMAIL)).toBeNull());

  test('random ones are taken, and the same typed in another form is the same', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9+/]{20,60}$/), (password) => {
        expect(passwordFault(password, EMAIL)).toBeNull();
      }),
    );
    expect(preparedPassword('e\u0301lan vital élan')).toBe(preparedPassword('élan vital e\u0301lan'));
  });
});

describe('recovery codes', () => {
  test('a code is letters of the token, in groups; a token with too few makes none', () => {
    expect(recoveryCodeFrom('a1B2c3D4e5F6g7H8i9J0kLmNoPqRs-_tUvWxYz')).toBe('a2c3-4e56-g789');
    expect(recoveryCodeFrom('ABCDEFG-_-OIL10uUiIlL')).toBeNull();
  });

  test('a code is the same however it is typed', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{43}$/), (token) => {
        const code = recoveryCodeFrom(token);
        if (code === null) return;
        expect(code).toMatch(/^(?:[2-9a-hjkmnp-tv-z]{4}-){2}[2-9a-hjkmnp-tv-z]{4}$/);
        const typed = ` ${code.toUpperCase().replaceAll('-', ' ')}`;
        expect(normalizedRecoveryCode(typed)).toBe(normalizedRecoveryCode(code));
      }),
    );
  });
});

describe('users', () => {
  test.each([
    [' Ann@Shop.EXAMPLE ', 'ann@shop.example'],
    ["o'neill+tag@a-b.co.uk", "o'neill+tag@a-b.co.uk"],
    ...[
      '',
      'ann',
      'ann@shop',
      'ann@@shop.example',
      'a b@shop.example',
      'ann@shop.example,eve@evil.example',
    ].map((text) => [text, null]),
    ...[
      'ann@shop.example\nBcc: x@y.zz',
      '<ann@shop.example>',
      'аnn@shop.example',
      'İ@shop.example',
      'a;b@shop.example',
    ].map((text) => [text, null]),
    [`${'a'.repeat(243)}@shop.example`, null],
  ] as [string, string | null][])('an address has one spelling, or is none (%#)', (text, email) => {
    expect(normalizedEmail(text)).toBe(email);
  });

  test('a name is trimmed, and has no control characters', () => {
    expect(displayName('  Ann \t Smith\n')).toBe('Ann Smith');
    for (const none of ['', ' ', 'a\u0000b', 'a\u202e'.slice(0, 0), 'a'.repeat(101)])
      expect(displayName(none)).toBeNull();
  });

  test('a place keeps somebody who manages its users, unless nobody did before', () => {
    const holder = fc.record({
      userId: fc.constantFrom('a', 'b', 'c'),
      role: fc.constantFrom('owner' as const, 'developer' as const, 'admin' as const, 'viewer' as const),
      status: fc.constantFrom('active' as const, 'disabled' as const),
      sponsors: fc.constant([]),
    });
    const manages = ({ role, status }: RoleHolder) =>
      status === 'active' && ['owner', 'admin'].includes(role);
    fc.assert(
      fc.property(
        fc.uniqueArray(holder, { selector: ({ userId }) => userId }),
        fc.record({
          userId: fc.constantFrom('a', 'b', 'c'),
          role: fc.constantFrom('owner' as const, 'support' as const, null),
        }),
        (holders, change) => {
          const after = holders.flatMap((each): RoleHolder[] => {
            if (each.userId !== change.userId) return [each];
            return change.role === null ? [] : [{ ...each, role: change.role }];
          });
          expect(leavesNobody(holders, change)).toBe(holders.some(manages) && !after.some(manages));
        },
      ),
    );
  });
});
