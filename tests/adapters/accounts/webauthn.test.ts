/** Passkeys, as a browser and an authenticator answer: what is taken, and what is not. */
import { describe, expect, test } from 'bun:test';
import { webauthnPasskeys } from '../../../src/adapters/accounts/webauthn.ts';
import { randomIds } from '../../../src/adapters/system/random-ids.ts';
import type { Passkey } from '../../../src/ports/accounts/credentials.ts';
import { authenticator, type Bent } from '../../support/accounts/authenticator.ts';
import { NOW } from '../../support/builders.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const SITE = 'https://pay.example.com';
const USER = { id: 'aaaaaaaaaaaaaaaaaaaaaaaa', email: 'ann@shop.example', name: 'Ann', known: [] };
const passkeys = webauthnPasskeys({ baseUrl: `${SITE}/gateway`, name: 'Quittance' }, randomIds(testClock()));

async function registered() {
  const device = authenticator(SITE);
  const { options, challenge } = await passkeys.registration(USER);
  const made = await passkeys.registered(device.register(options), challenge);
  if (made === null) throw new Error('not registered');
  const passkey: Passkey = { ...made, userId: USER.id, name: 'Laptop', createdAt: NOW, lastUsedAt: null };
  return { device, passkey };
}

describe('passkeys', () => {
  test('the options ask for a passkey of this site, with user verification, that no known one makes again', async () => {
    const { passkey } = await registered();
    const { options, challenge } = await passkeys.registration({ ...USER, known: [passkey] });
    expect(JSON.parse(options)).toMatchObject({
      ...{ challenge, rp: { id: 'pay.example.com', name: 'Quittance' }, attestation: 'none' },
      user: { id: Buffer.from(USER.id).toString('base64url'), name: USER.email, displayName: 'Ann' },
      excludeCredentials: [{ type: 'public-key', id: passkey.credentialId, transports: ['internal'] }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const asked = JSON.parse((await passkeys.assertion([])).options);
    expect(asked).toMatchObject({
      rpId: 'pay.example.com',
      userVerification: 'required',
      allowCredentials: [],
    });
    expect(Buffer.from(asked.challenge, 'base64url')).toHaveLength(32);
  });

  test('a registration and an assertion are taken, and the count of the authenticator goes up', async () => {
    const { device, passkey } = await registered();
    expect(passkey).toMatchObject({
      credentialId: device.credentialId,
      signCount: 0,
      transports: ['internal'],
    });
    const { options, challenge } = await passkeys.assertion([passkey]);
    const answer = device.assert(options);
    expect(passkeys.credentialOf(answer)).toBe(passkey.credentialId);
    expect(await passkeys.asserted(answer, challenge, passkey)).toBe(1);
  });

  const bends: readonly (readonly [what: string, bent: Bent])[] = [
    ['another site', { origin: 'https://evil.example' }],
    ['a subdomain', { origin: 'https://shop.pay.example.com' }],
    ['the same host without TLS', { origin: 'http://pay.example.com' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another kind of ceremony', { type: 'payment.get' }],
    ['no user verification', { userVerified: false }],
  ];
  test.each(bends)('an answer of %s is refused', async (_what, bent) => {
    const { device, passkey } = await registered();
    const asked = await passkeys.assertion([passkey]);
    expect(await passkeys.asserted(device.assert(asked.options, bent), asked.challenge, passkey)).toBeNull();
    const made = await passkeys.registration(USER);
    expect(await passkeys.registered(device.register(made.options, bent), made.challenge)).toBeNull();
  });

  test('a count that goes back or stands still is refused: the passkey was copied', async () => {
    const { device, passkey } = await registered();
    const { options, challenge } = await passkeys.assertion([passkey]);
    const used = { ...passkey, signCount: 5 };
    for (const signCount of [4, 5])
      expect(await passkeys.asserted(device.assert(options, { signCount }), challenge, used)).toBeNull();
    expect(await passkeys.asserted(device.assert(options, { signCount: 6 }), challenge, used)).toBe(6);
    // Synced passkeys do not count.
    expect(await passkeys.asserted(device.assert(options, { signCount: 0 }), challenge, passkey)).toBe(0);
  });

  test("another passkey's signature is refused", async () => {
    const [one, other] = [await registered(), await registered()];
    const { options, challenge } = await passkeys.assertion([]);
    const answer = JSON.parse(other.device.assert(options));
    const forged = JSON.stringify({
      ...answer,
      id: one.passkey.credentialId,
      rawId: one.passkey.credentialId,
    });
    expect(await passkeys.asserted(forged, challenge, one.passkey)).toBeNull();
    expect(await passkeys.asserted(JSON.stringify(answer), challenge, one.passkey)).toBeNull();
  });

  test.each([
    '',
    'null',
    '[]',
    '{"id":"a"}',
    '{"id":"a","response":{}}',
    '{"id":5,"response":{}}',
    `"${'x'.repeat(30_000)}"`,
    '{"id":"a b","response":{}}',
  ])('no answer at all is refused: %s', async (answer) => {
    const { passkey } = await registered();
    expect(await passkeys.registered(answer, 'challenge')).toBeNull();
    expect(await passkeys.asserted(answer, 'challenge', { ...passkey, credentialId: 'a' })).toBeNull();
  });
});
