/** What the gate of the console refuses, whoever asks. */
import { describe, expect, test } from 'bun:test';
import { CONSOLE_HEADERS } from '../../../../src/adapters/http/console/kit/answers.ts';
import {
  formCode,
  isFormCode,
  sessionCookie,
  tokenOf,
} from '../../../../src/adapters/http/console/kit/session-cookie.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import { consoleStage, ORIGIN, OWN, Reached } from '../../../support/console/console-stage.ts';

const owner = { role: 'owner' } as const;
const KEY = `/console/m/${OWN}/live/settings/key`;
const PAYMENTS = `/console/m/${OWN}/live/payments`;

describe('a form', () => {
  const stage = consoleStage();

  test('is carried out with the code of its own session only', async () => {
    await expect(stage.ask('POST', KEY, owner)).rejects.toThrow(Reached);
    for (const code of [null, '', 'wrong', formCode('b'.repeat(43))]) {
      const answer = await stage.ask('POST', KEY, owner, { code });
      expect([code, answer.status]).toEqual([code, 403]);
      expect(await answer.text()).toContain('was not sent from this page');
    }
  });

  test('of another site is refused, even with the right code', async () => {
    const foreign = [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }] as const;
    for (const headers of foreign)
      expect((await stage.ask('POST', KEY, owner, { headers })).status).toBe(403);
  });

  test('that is too large is refused before it is read', async () => {
    const body = `code=x&text=${'a'.repeat(300_000)}`;
    const answer = await stage.ask('POST', KEY, owner, { body });
    expect(answer.status).toBe(413);
  });

  test('with a malformed upload is refused', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await stage.ask('POST', KEY, owner, { headers, body: 'nothing' })).status).toBe(413);
  });
});

describe('every answer', () => {
  const stage = consoleStage();

  test('forbids frames, foreign files, guessing of types and caching', async () => {
    const answers = [
      await stage.ask('GET', '/console/sign-in', null),
      await stage.ask('GET', PAYMENTS, null),
      await stage.ask('GET', PAYMENTS, { role: 'owner', stage: 'password' }),
      await stage.ask('GET', `/console/m/${OWN}/live/balance`, { role: 'support' }),
      await stage.ask('POST', KEY, owner, { code: null }),
    ];
    for (const { headers } of answers) {
      for (const [name, value] of Object.entries(CONSOLE_HEADERS)) expect(headers.get(name)).toBe(value);
      // As they are, since the list may lose one.
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
    }
  });

  test('escapes what people have written', async () => {
    const answer = await stage.ask('GET', '/console/sign-in?to=/"><script>', null);
    const text = await answer.text();
    expect(text).not.toContain('"><script>');
    expect(text).not.toMatch(/<script(?! type="module" src="\/console\/assets\/)/);
  });
});

describe('after the sign-in', () => {
  const stage = consoleStage();

  test('the browser is led back to a path of the console, and to no other address', async () => {
    const leads = async (to: string): Promise<string> => {
      const page = await stage.ask('GET', `/console/sign-in?to=${encodeURIComponent(to)}`, null);
      return /name="to" value="([^"]*)"/.exec(await page.text())?.[1] ?? 'none';
    };
    expect(await leads('/m/0190f3a1b2c30a1b2c3d4e01/live/payments')).toBe(
      '/m/0190f3a1b2c30a1b2c3d4e01/live/payments',
    );
    for (const evil of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/a?b',
    ])
      expect([evil, await leads(evil)]).toEqual([evil, '']);
  });

  test('a refused page is where the sign-in leads back to', async () => {
    const answer = await stage.ask('GET', PAYMENTS, null);
    expect(answer.headers.get('location')).toBe(
      `/console/sign-in?to=${encodeURIComponent(`/m/${OWN}/live/payments`)}`,
    );
  });
});

describe('the cookie of a session', () => {
  const token = 'Q'.repeat(43);
  const asked = (cookie: string, isSecure = false): string | null =>
    tokenOf(new Request(ORIGIN, { headers: { cookie } }), isSecure);

  test('is kept from scripts and from other sites, and over TLS bound to the host', () => {
    expect(sessionCookie(token, true)).toBe(
      `__Host-quittance-console=${token}; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure`,
    );
    expect(sessionCookie(token, false)).toContain('HttpOnly; SameSite=Lax');
    expect(sessionCookie(null, true)).toContain('Max-Age=0');
  });

  test('is read under its own name only, and not where there are two', () => {
    expect(asked(`a=b; quittance-console=${token}`)).toBe(token);
    expect(asked(`quittance-console=${token}`, true)).toBeNull();
    expect(asked(`__Host-quittance-console=${token}`, true)).toBe(token);
    expect(asked(`quittance-console=${token}; quittance-console=${'R'.repeat(43)}`)).toBeNull();
    expect(asked('quittance-console=short')).toBeNull();
  });

  test('gives its forms a code that nobody else can make', () => {
    expect(isFormCode(formCode(token), token)).toBe(true);
    expect(isFormCode(formCode('R'.repeat(43)), token)).toBe(false);
    expect(isFormCode(null, token)).toBe(false);
    expect(formCode(token)).not.toContain(token);
  });
});

test('a network that asks too often waits, whoever is signed in', async () => {
  const stage = consoleStage({
    config: { baseUrl: ORIGIN, checkoutUrl: ORIGIN, rateLimitPerMinute: 3 },
  });
  for (let nth = 0; nth < 3; nth += 1)
    expect((await stage.ask('GET', '/console/sign-in', null)).status).toBe(200);
  const refused = await stage.ask('GET', '/console/sign-in', owner);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('without the database the console says so, and asks for another try', async () => {
  const accounts = {
    sessionOf: () => Promise.reject(new StorageUnavailable('away')),
  } as never;
  const stage = consoleStage({ accounts });
  const answer = await stage.ask('GET', PAYMENTS, owner);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('The database does not answer');
});
