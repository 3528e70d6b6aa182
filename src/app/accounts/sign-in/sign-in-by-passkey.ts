/**
 * Signing in by a passkey alone: it proves possession, and its user verification the person, so it
 * is both factors. The challenge is in a sealed text that the page sends back, so that whoever only
 * looks at the page costs no row; each is taken once.
 */
import { CEREMONY_MS } from '../../../domain/accounts/ceremony.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { boundPerSecond } from '../../merchants/unknown-key-budget.ts';
import type { Accounts, SignInRefusal, StartedSession } from '../accounts.ts';
import type { AccountParts } from '../dependencies.ts';
import { startSession } from './begin-session.ts';
import { usePasskey, verifiedPasskey } from './second-factors.ts';

const CONTEXT = 'passkey sign-in';
/** Signatures that this process checks in a second. */
const CHECKS_PER_SECOND = 20;
const WRONG = err({ code: 'wrong' } as const);

export function passkeyOptions(deps: AccountParts): Accounts['passkeyOptions'] {
  return async () => {
    const { options, challenge } = await deps.passkeys.assertion([]);
    const until = deps.clock.now().getTime() + CEREMONY_MS.sign_in;
    return { options, ceremony: deps.vault.seal(JSON.stringify([challenge, until]), CONTEXT) };
  };
}

export function signInByPasskey(deps: AccountParts): Accounts['signInByPasskey'] {
  const mayCheck = boundPerSecond(deps.clock, CHECKS_PER_SECOND);
  return async ({ ceremony, answer }, origin): Promise<Result<StartedSession, SignInRefusal>> => {
    const opened = openedCeremony(deps, ceremony);
    if (opened === null) return WRONG;
    if (!mayCheck()) return err({ code: 'wait', waitSeconds: 1 });
    const verified = await verifiedPasskey(deps, answer, { challenge: opened.challenge, userId: null });
    if (verified === null) return WRONG;
    const started = await deps.unitOfWork.run(async (repositories) => {
      const user = await repositories.users.lock(verified.passkey.userId);
      if (user?.status !== 'active') return null;
      const isFirstUse = await repositories.ceremonies.insertIfAbsent({
        ...{ key: deps.vault.mac(`challenge ${opened.challenge}`), kind: 'sign_in' },
        ...{ sessionId: null, sealed: null, expiresAt: opened.until },
      });
      if (!isFirstUse || !(await usePasskey(deps, repositories, verified))) return null;
      const secondFactorAt = deps.clock.now();
      return startSession(deps, repositories, { user, hasSecondFactor: true, secondFactorAt, origin });
    });
    return started === null ? WRONG : ok(started);
  };
}

function openedCeremony(
  { vault, clock }: AccountParts,
  ceremony: string,
): { readonly challenge: string; readonly until: Date } | null {
  let text: string;
  try {
    text = vault.open(ceremony, CONTEXT);
  } catch {
    return null;
  }
  const [challenge, until] = JSON.parse(text) as [string, number];
  return until > clock.now().getTime() ? { challenge, until: new Date(until) } : null;
}
