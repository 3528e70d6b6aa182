/** Bugs in accounts: sessions, second factors, links and roles, and the gate of the console. */
import { bugs, type Mutant } from './mutant.ts';

const SIGN_IN = 'tests/app/accounts/sign-in.test.ts';
const SESSIONS = 'tests/app/accounts/sessions.test.ts';
const FACTORS = 'tests/app/accounts/second-factors.test.ts';
const PROVED = 'tests/app/accounts/proved-first.test.ts';
const LINKS = 'tests/app/accounts/links.test.ts';
const PEOPLE = 'tests/app/accounts/people.test.ts';
const TAKEN = 'tests/app/accounts/taking-over.test.ts';
const REGISTER = 'tests/app/accounts/register.test.ts';
const GATE = 'tests/adapters/http/console/gate.test.ts';
const MATRIX = 'tests/adapters/http/console/role-matrix.test.ts';

const RULES: readonly Mutant[] = [
  ...bugs(
    'src/domain/accounts/session.ts',
    ['tests/domain/accounts/session.test.ts'],
    [
      ["return secondFactorAt === null ? 'password' : 'complete';", "return 'complete';"],
      ["operatorRole === null ? 'complete' : 'enrolling'", "'complete'"],
      ['age >= SESSION_LONGEST_MS || ', ''],
      [' || idle >= SESSION_IDLE_MS', ''],
      ["stage === 'password' && age >= SECOND_FACTOR_PATIENCE_MS", 'age < 0'],
      ['secondFactorAt !== null && now', 'secondFactorAt === null || now'],
      ['< SECOND_FACTOR_FRESH_MS', '<= SECOND_FACTOR_FRESH_MS'],
      ['< SIGN_IN_FRESH_MS', '< SESSION_LONGEST_MS'],
    ],
  ),
  ...bugs(
    'src/domain/accounts/throttle.ts',
    ['tests/domain/accounts/throttle.test.ts'],
    [
      ['if (beyond < 0 || ', 'if (beyond <= 0 || '],
      ['(isForgotten ? 0 : tally.failures) + 1', 'isForgotten ? 0 : tally.failures'],
      ['(isForgotten ? 0 : tally.failures) + 1', 'tally.failures + 1'],
      ['Math.max(0, Math.min(whole, whole - passed))', 'Math.max(0, whole - passed)'],
      ['rule.firstWaitMs * 2 ** beyond', 'rule.firstWaitMs'],
      ['.slice(0, 3)', '.slice(0, 4)'],
      ['if (v4 !== undefined) return v4;', 'if (v4 !== undefined) return ip;'],
    ],
  ),
  ...bugs(
    'src/domain/accounts/role.ts',
    ['tests/domain/accounts/role.test.ts', MATRIX],
    [
      ["    'payments.decide',\n    'keys.manage',", "    'keys.manage',"],
      ["    'payments.decide',\n    'keys.manage',", "    'payments.decide',"],
      ['return NEEDS_SECOND_FACTOR.has', 'return !NEEDS_SECOND_FACTOR.has'],
      ["accountant: ['payments.read', ", "accountant: ['payments.read', 'payouts.create', "],
      ["viewer: ['operator.read', ", "viewer: ['operator.read', 'queue.decide', "],
      ['return (GRANTS[role] as readonly Permission[])', 'return !(GRANTS[role] as readonly Permission[])'],
    ],
  ),
  ...bugs(
    'src/domain/accounts/user.ts',
    ['tests/domain/accounts/password.test.ts', LINKS],
    [
      ["status === 'active' && (role", '(role'],
      ['reset: 24 * HOUR_MS', 'reset: 7 * 24 * HOUR_MS'],
      ['text.trim().toLowerCase()', 'text.trim()'],
    ],
  ),
  ...bugs(
    'src/domain/accounts/password.ts',
    ['tests/domain/accounts/password.test.ts'],
    [
      ["typed.normalize('NFKC')", 'typed'],
      ['if (length < PASSWORD_LENGTH_MIN)', 'if (length <= PASSWORD_LENGTH_MIN)'],
      ['if (length > PASSWORD_LENGTH_MAX)', 'if (length > 10 * PASSWORD_LENGTH_MAX)'],
      ["isCommon(password.toLowerCase(), email) ? 'password_common' : null", 'null'],
    ],
  ),
  ...bugs(
    'src/adapters/accounts/one-time-codes.ts',
    ['tests/adapters/accounts/one-time-codes.test.ts'],
    [
      ['[0, -1, 1] as const', '[0, -1, 1, -2, 2] as const'],
      ['present + beside', 'present'],
    ],
  ),
];

const SIGNING_IN: readonly Mutant[] = [
  ...bugs(
    'src/app/accounts/sign-in/sign-in.ts',
    [SIGN_IN, TAKEN],
    [
      ["user?.status !== 'active' || ", 'user === null || '],
      [' || user.passwordHash !== found.user.passwordHash', ''],
      ['if (!fits || found === null)', 'if (found === null)'],
      ["if (waitSeconds !== null) return err({ code: 'wait', waitSeconds });", ''],
      ['if (!isAtHome && !strangerMayTry())', 'if (isAtHome && !strangerMayTry())'],
      ['takenBack: [{ name: `network ${network}`, rule: NETWORK_RULE }],', 'takenBack: [],'],
      ['signInAttempts.takeBack(keysOf', 'signInAttempts.forget(keysOf'],
      [
        'await passwords.verify(given, found?.user.passwordHash ?? null)',
        'found !== null && (await passwords.verify(given, found.user.passwordHash))',
      ],
      ['{ name: addressPlace(address), rule: ADDRESS_RULE }', ''],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/counted-tries.ts',
    [SIGN_IN, FACTORS],
    [
      ['await signInAttempts.save(key, withTry(tally, now));', 'void withTry(tally, now);'],
      ['Math.max(...found', 'Math.min(...found'],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/begin-session.ts',
    [SIGN_IN, SESSIONS, FACTORS, TAKEN],
    [
      ["if (session.stage === 'complete') await noteNetwork", 'await noteNetwork'],
      ["if (stage === 'complete') await noteNetwork(deps, repositories, session);", ''],
      ['sessionHash(deps.vault, token) });', 'token });'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/accounts/sessions.ts',
    [SESSIONS, FACTORS],
    [
      [
        'text: (given, select) => updateById(s, given, select),',
        'text: ({ id, secondFactorAt }, select) => updateById(s, { id, secondFactorAt }, select),',
      ],
      ['where ${s.id} = ${id} and ${s.userId} = ${userId} returning', 'where ${s.id} = ${id} returning'],
      [' and ${r.usedAt} is null returning', ' returning'],
      [
        'where ${r.userId} = ${userId} and ${r.codeHash} = ${codeHash} and',
        'where ${r.codeHash} = ${codeHash} and',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/accounts/users.ts',
    [FACTORS, LINKS],
    [
      ['${u.codesStep} < ${step}', '${u.codesStep} <= ${step}'],
      ['${u.codesStep} < ${step}', '${step} is not null'],
      [
        'and ${i.merchantId} is not distinct from ${merchantId} and ${i.acceptedAt} is null`',
        'and ${i.id} is null`',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/accounts/attempts.ts',
    [FACTORS],
    [
      [
        'delete from ${c} where ${c.key} = ${key} returning ${select}',
        'select ${select} from ${c} where ${c.key} = ${key}',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/accounts/account-queries.ts',
    [SESSIONS, PEOPLE, SIGN_IN],
    [
      [
        "where ${s.tokenHash} = ${tokenHash} and ${equals(u.status, 'active')}`",
        'where ${s.tokenHash} = ${tokenHash}`',
      ],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/session-of.ts',
    [SESSIONS, FACTORS],
    [
      ['if (isOver(session, now)) return null;', ''],
      ['isOver(known.session, now) ? null : known', 'known'],
      [
        'hasSecondFactor ? found.session.secondFactorAt : null',
        'found.session.secondFactorAt',
        'removing the last second factor takes it out of the sessions as well',
      ],
      ['if (isSeen && ', 'if ('],
      ['deps.kept.forget(by.user.id);\n  return ended;', 'return ended;'],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/kept-sessions.ts',
    [SESSIONS],
    [
      ['(ofUser.get(known.found.user.id) ?? 0) > known.change', 'false'],
      ['age < KEPT_MS', 'age < 60 * KEPT_MS'],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/confirm-second-factor.ts',
    [FACTORS, TAKEN],
    [
      ['step !== null && users.useStep(id, step)', 'step !== null'],
      ["factor.kind !== 'passkey'", "factor.kind === 'code'"],
      ["factor.kind !== 'passkey'", "factor.kind === 'recovery'"],
      [
        "user?.status !== 'active' || ",
        'user === null || ',
        'disabling ends the sessions: there is none to renew',
      ],
      [
        'const renewed = await renewSession(deps, repositories, by, proved);',
        'const renewed = { token: "", session: { ...by.session, ...proved } };',
      ],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/second-factors.ts',
    [FACTORS, PROVED, SESSIONS, TAKEN],
    [
      ["return isFresh(by.session, now) ? null : 'confirm_needed';", 'return null;'],
      ["return isFreshSignIn(by.session, now) ? null : 'sign_in_again';", 'return null;'],
      ['found.expiresAt <= clock.now()', 'found.expiresAt === null'],
      [' || (userId !== null && passkey.userId !== userId)', ''],
      [' || present.signCount !== passkey.signCount', ''],
      ['if (isFirst) await repositories.sessions.endAll(by.user.id, by.session.id);', ''],
      ["if (by.user.operatorRole !== null) return err('second_factor_needed');", ''],
      [
        'await repositories.sessions.forgetSecondFactor(by.user.id);',
        '',
        'whoever has no second factor is read as a session that gave none',
      ],
      ['await repositories.recoveryCodes.replace(by.user.id, []);', ''],
      [
        "if (user?.status !== 'active') return err('confirm_needed');",
        "if (user === null) return err('confirm_needed');",
      ],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/own-factors.ts',
    [FACTORS],
    [
      ['await repositories.users.useStep(id, step);', ''],
      ["if (session.stage === 'password') throw", "if (session.stage === 'enrolling') throw"],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/sign-in-by-passkey.ts',
    [FACTORS, TAKEN],
    [
      ['until > clock.now().getTime()', 'until > 0'],
      ['!isFirstUse || ', ''],
      ["if (user?.status !== 'active') return null;", 'if (user === null) return null;'],
    ],
  ),
  ...bugs(
    'src/app/accounts/sign-in/change-password.ts',
    [SESSIONS, PROVED, LINKS, TAKEN],
    [
      ["if (proof !== null && proof !== 'sign_in_again') return err(proof);", ''],
      ['await repositories.sessions.endAll(id, by.session.id);', ''],
      ['=== null || user.passwordHash !== before', '=== null'],
      [
        "rule: ADDRESS_RULE }])) !== null) return err('try_later');",
        'rule: ADDRESS_RULE }])) === undefined) return err("try_later");',
      ],
      ["await repositories.invitations.withdrawLike({ kind: 'reset', email, merchantId: null });", ''],
    ],
  ),
];

const GIVING_ROLES: readonly Mutant[] = [
  ...bugs(
    'src/app/accounts/accept-invitation.ts',
    [LINKS, PEOPLE, TAKEN],
    [
      [
        "if (invitation === null || !isOpen(invitation, deps.clock.now())) return err('link_over');\n      const made",
        'const made',
      ],
      [
        "if (invitation === null || !isOpen(invitation, deps.clock.now())) return err('link_over');\n      if",
        'if',
      ],
      ['await repositories.invitations.accept(id, deps.clock.now());', ''],
      ['|| invitation.email !== by.user.email', ''],
      ["known === null || known.status === 'active'", 'known === null'],
      ['await repositories.sessions.endAll(user.id, null);', ''],
      ['await withoutFactors(repositories, changed);', 'await repositories.users.save(changed);'],
      ["if (by.session.stage === 'password') return err('confirm_needed');", ''],
      [
        "if (user?.status !== 'active') return err('link_over');\n  const",
        "if (user === null) return err('link_over');\n  const",
      ],
    ],
  ),
  ...bugs(
    'src/app/accounts/granted-role.ts',
    [LINKS, PEOPLE, REGISTER],
    [
      ['acceptedAt === null && expiresAt > now', 'acceptedAt === null'],
      ['acceptedAt === null && expiresAt > now', 'expiresAt > now'],
      ["if (user.operatorRole !== null) return 'other_side';", ''],
      ["if ((await memberships.of(user.id)).length > 0) return 'other_side';", ''],
      ['live: false', 'live: true'],
    ],
  ),
  ...bugs(
    'src/app/accounts/invite.ts',
    [LINKS, PEOPLE],
    [
      ['await repositories.invitations.withdrawLike({ kind, email, merchantId });', ''],
      ['LINK_MS[kind]', 'LINK_MS.invitation'],
      ['invitationHash(deps.vault, token), invitedBy', 'token, invitedBy'],
      ['>= INVITATIONS_MAX', '> INVITATIONS_MAX'],
    ],
  ),
  ...bugs(
    'src/app/accounts/authority.ts',
    [PEOPLE],
    [
      ["if (session.stage !== 'complete' || session.secondFactorAt === null) return 'confirm_needed';", ''],
      ['one.merchantId === merchantId', 'one.merchantId !== null'],
      ["isGranted(membership.role, 'users.manage')", "isGranted(membership.role, 'payments.read')"],
      ["if (user?.status !== 'active') return 'not_found';", "if (user === null) return 'not_found';"],
      [
        'memberships: await memberships.of(user.id)',
        'memberships: by.memberships ?? (await memberships.of(user.id))',
      ],
    ],
  ),
  ...bugs(
    'src/app/accounts/people.ts',
    [PEOPLE, SESSIONS, LINKS],
    [
      [
        'await repositories.sessions.endAll(userId, null);\n    await repositories.invitations.withdrawBy(userId, merchantId);',
        'await repositories.invitations.withdrawBy(userId, merchantId);',
      ],
      [
        'await repositories.sessions.endAll(userId, null);\n    await repositories.invitations.withdrawBy(userId, merchantId);',
        'await repositories.sessions.endAll(userId, null);',
      ],
      [
        "if (leavesNobody(holders, { userId, role: null })) return err('last_of_its_kind');\n    await",
        'await',
      ],
      ["if (role !== 'owner') await repositories.invitations.withdrawBy(userId, merchantId);", ''],
      [
        "await repositories.users.save({ ...user, status: 'disabled' });",
        'await repositories.users.save(user);',
      ],
    ],
  ),
  ...bugs(
    'src/app/accounts/register.ts',
    [REGISTER],
    [
      ['if (waitSeconds !== null) {', 'if (waitSeconds === undefined) {'],
      ["if (mailer === null) return err('registration_closed');", ''],
    ],
  ),
  ...bugs(
    'src/app/accounts/account-audit.ts',
    [PEOPLE],
    [['await audit.append({', "if (action === '') await audit.append({"]],
  ),
];

const PAGES: readonly Mutant[] = [
  ...bugs(
    'src/adapters/http/console/kit/gate.ts',
    [GATE, MATRIX],
    [
      ['if (!isOwnForm(request, baseUrl)) return false;', ''],
      [
        "return isFormCode(form.optional('code') ?? request.headers.get('x-form-code'), token);",
        'return true;',
      ],
      ["if (token === null || route.access.of === 'open') return true;", 'return true;'],
      ['if (changes && !isOwn(', 'if (!changes && !isOwn('],
      ['gate.limiter.take(networkOf(ip), now.getTime())', 'null'],
      [
        'const found = await admissionOf(deps, gate, { route, request, params }, now);',
        'const found = await admissionOf(deps, gate, { route, request, params }, now);\n  if (found.signedIn !== null) Object.assign(found, { decided: { admitted: true, role: "owner" } });',
      ],
      [
        'const merchant = isOpen ?',
        'const merchant = merchantId !== null ?',
        'what is hidden is answered before the merchant is looked at',
      ],
    ],
  ),
  ...bugs(
    'src/adapters/http/console/kit/access.ts',
    [MATRIX],
    [
      ["if (stage === 'password') return refuse('second_factor');", ''],
      [
        "  if (stage === 'enrolling') return refuse('enrol');",
        '',
        'only operators enrol, and whatever they may do needs a second factor',
      ],
      ['role === null || !isGranted(role, access.permission)', 'role === null'],
      [
        'role === null || !isGranted(role, access.permission)',
        'role === null || isGranted(role, access.permission)',
      ],
      ['one.merchantId === merchantId', 'one.merchantId !== null'],
      ['if (!needsSecondFactor(permission)) return null;', 'return null;'],
      ["if (session.secondFactorAt === null) return refuse('confirm');", ''],
      ["changes && !isFresh(session, now) ? refuse('confirm') : null", 'null'],
      ["if (!hasSecondFactor) return refuse('enrol');", ''],
    ],
  ),
  ...bugs(
    'src/adapters/http/console/kit/session-cookie.ts',
    [GATE],
    [
      [", 'HttpOnly'];", '];'],
      ["'SameSite=Lax'", "'SameSite=None'"],
      ["...(isSecure ? ['Secure'] : [])", ''],
      ['found.length === 1 && ', ''],
      ['`form ${token}`', '`form`'],
      ['return isSecure ? SECURE_NAME : PLAIN_NAME', 'return PLAIN_NAME'],
    ],
  ),
  ...bugs(
    'src/adapters/http/console/kit/answers.ts',
    [GATE],
    [
      [`, "frame-ancestors 'none'"`, ''],
      ["  'x-frame-options': 'DENY',\n", ''],
      [`"script-src 'self'"`, `"script-src 'self' 'unsafe-inline'"`],
      ["'cache-control': 'no-store'", "'cache-control': 'private'"],
      ["  'x-content-type-options': 'nosniff',\n", ''],
    ],
  ),
  ...bugs(
    'src/adapters/http/checkout/page/html.ts',
    [GATE, 'tests/adapters/http/checkout/checkout-hostile.test.ts'],
    [
      ["'<': '&lt;'", "'<': '<'"],
      [`'"': '&quot;'`, `'"': '"'`],
      [
        "if (typeof insert === 'string') return escaped(insert);",
        "if (typeof insert === 'string') return insert;",
      ],
    ],
  ),
];

export const ACCOUNT_MUTANTS: readonly Mutant[] = [...RULES, ...SIGNING_IN, ...GIVING_ROLES, ...PAGES];
