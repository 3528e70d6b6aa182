/**
 * The way in, typed and pressed by a person: invitation, password, authenticator app, recovery
 * code, passkey (with the virtual authenticator of the browser), sessions, and the way out.
 */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from '../../support/browser/axe.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { press, rows, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { COOKIE, PASSWORD } from '../../support/console/console-users.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('signing in to the console', () => {
  const on = stageConsole({ registration: true });
  const heading = (page: Page) => page.locator('h1').textContent();
  const go = (page: Page, path: string) => page.goto(`${on.shop.it.url}/console${path}`);
  /** Codes work once. */
  async function nextCode(secret: string): Promise<string> {
    on.shop.clock.advance(30);
    return on.shop.code(secret);
  }
  async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    await go(page, '/sign-in');
    await page.fill('#email', email);
    await page.fill('#password', password);
    await press(page, 'Sign in');
  }
  async function signOut(page: Page): Promise<void> {
    await page.click('.own button');
    await page.locator('h1', { hasText: 'Sign in' }).waitFor();
    await says(page, 'You are signed out.');
  }
  /** A device that answers for its owner, as a phone with a fingerprint does. */
  async function withAuthenticator(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
  }
  /** An operator who has just chosen a password and set up an app. */
  async function enrolled(page: Page, email: string): Promise<{ secret: string; codes: readonly string[] }> {
    await page.goto(await on.shop.invitation('admin', email));
    await page.fill('#name', 'Noor');
    await page.fill('#password', PASSWORD);
    await press(page, 'Go on');
    expect(await page.locator('.message.warn').textContent()).toContain('Set up a second factor');
    await press(page, 'Set up an authenticator app');
    const secret = (await page.locator('.copyable code').textContent()) ?? '';
    await page.fill('#factor', on.shop.code(secret));
    await press(page, 'Set up');
    expect(await violations(page)).toEqual([]);
    return { secret, codes: await page.locator('.codes li').allTextContents() };
  }

  test('an operator is invited, sets up an app, and comes back with password and code', async () => {
    const page = await on.stage.visitor();
    const { secret, codes } = await enrolled(page, 'noor@gateway.example');
    expect(codes).toHaveLength(10);
    await press(page, 'I have stored them');
    expect(await heading(page)).toBe('Is all well');
    await signOut(page);
    await signIn(page, 'noor@gateway.example', 'a wrong password');
    expect(await page.locator('[role=alert].message').textContent()).toContain('is wrong');
    expect(on.stage.faults()).toEqual([expect.stringContaining('401')]);
    await signIn(page, 'noor@gateway.example');
    expect(await heading(page)).toBe('Second factor');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Sign out');
    await says(page, 'You are signed out.');
    await signIn(page, 'noor@gateway.example');
    await page.fill('#factor', await nextCode(secret));
    await press(page, 'Go on');
    expect(await heading(page)).toBe('Is all well');
  });

  test('whoever registers gets a link, opens a merchant with it, and later joins another', async () => {
    const page = await on.stage.visitor();
    await go(page, '/sign-in');
    await press(page, 'Open an account');
    expect(await violations(page)).toEqual([]);
    await page.fill('#merchant', '   ');
    await page.fill('#email', 'kim@corner.example');
    await press(page, 'Send me the link');
    expect(on.stage.faults()).toEqual([expect.stringContaining('422')]);
    expect(await page.locator('#merchant-fault').textContent()).toBe('Give a name.');
    expect(await page.inputValue('#email')).toBe('kim@corner.example');
    await page.fill('#merchant', 'Kim’s corner');
    await press(page, 'Send me the link');
    await says(page, 'a link is on its way');
    await until('the e-mail is there', 10_000, () => on.shop.mails.length === 1);
    const link = /https?:\S+\/i\/[\w-]+/.exec(on.shop.mails[0]?.mail.text ?? '')?.[0] ?? '';
    await page.goto(link);
    await page.fill('#name', 'Kim');
    await page.fill('#password', 'short');
    await press(page, 'Go on');
    expect(on.stage.faults()).toEqual([expect.stringContaining('422')]);
    expect(await page.locator('#password').getAttribute('aria-describedby')).toContain('password-fault');
    expect(await page.inputValue('#name')).toBe('Kim');
    await page.fill('#password', PASSWORD);
    await press(page, 'Go on');
    expect(await heading(page)).toBe('Overview');
    expect(await page.locator('.merchant').textContent()).toBe('Kim’s corner');
    await signOut(page);

    await page.goto(await on.shop.invitation('support', 'kim@corner.example'));
    expect(await violations(page)).toEqual([]);
    await press(page, 'Sign in and join');
    await page.fill('#email', 'kim@corner.example');
    await page.fill('#password', PASSWORD);
    await press(page, 'Sign in');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Join');
    const merchants = await page.locator('.side .merchant, .others a').allTextContents();
    expect(merchants.toSorted()).toEqual(['Corner shop', 'Kim’s corner']);
  });

  test('a recovery code opens the account once', async () => {
    const page = await on.stage.visitor();
    const { codes } = await enrolled(page, 'rory@gateway.example');
    const [first = ''] = codes;
    for (const opens of [true, false]) {
      await go(page, '');
      await signOut(page);
      await signIn(page, 'rory@gateway.example');
      await page.click('text=Use a recovery code');
      await page.fill('#recovery', first);
      await page.locator('details button').click();
      const expected = opens ? 'Is all well' : 'Second factor';
      await page.locator('h1', { hasText: expected }).waitFor();
      if (opens) continue;
      expect(on.stage.faults()).toEqual([expect.stringContaining('401')]);
    }
  });

  test('the way in leads to the page that was asked for', async () => {
    const owner = await on.shop.user('owner');
    const page = await on.stage.visitor();
    await go(page, on.at('/payouts'));
    expect(await heading(page)).toBe('Sign in');
    await page.fill('#email', owner.email);
    await page.fill('#password', PASSWORD);
    await press(page, 'Sign in');
    await page.fill('#factor', await nextCode(owner.secret));
    await press(page, 'Go on');
    expect([await heading(page), new URL(page.url()).pathname]).toEqual([
      'Payouts',
      `/console${on.at('/payouts')}`,
    ]);
  });

  test('a path that does not exist answers as one that the role may not open', async () => {
    const { token } = await on.shop.user('owner');
    const [unknown, hidden] = await Promise.all(
      ['/nothing/at/all', '/o/queue'].map((path) =>
        fetch(`${on.shop.it.url}/console${path}`, { headers: { cookie: `${COOKIE}=${token}` } }),
      ),
    );
    expect([unknown?.status, await unknown?.text()]).toEqual([404, await hidden?.text()]);
    const stranger = await fetch(`${on.shop.it.url}/console/nothing/at/all`, { redirect: 'manual' });
    expect(stranger.headers.get('location')).toStartWith('/console/sign-in');
  });

  test('a passkey is added, opens the account without a password, and is removed', async () => {
    const page = await on.as(await on.shop.user('owner'), '/account', { asked: [] });
    await withAuthenticator(page);
    await page.fill('#name', 'My phone');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.locator('.message.good').waitFor();
    await says(page, 'The passkey is added.');
    expect((await rows(page)).join()).toContain('My phone');
    await signOut(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await go(page, '/account');
    await press(page, 'Remove');
    await says(page, 'The passkey is removed.');
  });

  test('what moves money asks for the second factor again after a while, by passkey or by code', async () => {
    const owner = await on.shop.user('owner');
    const page = await on.as(owner, '/account', { asked: [] });
    await withAuthenticator(page);
    await go(page, '/sign-in');
    await signIn(page, owner.email);
    await page.fill('#factor', await nextCode(owner.secret));
    await press(page, 'Go on');
    await go(page, '/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.locator('.message.good').waitFor();
    on.shop.clock.advance(16 * 60);
    await go(page, on.at('/settings'));
    await page.locator('form[action$="/secret/show"] button').click();
    await page.locator('h1', { hasText: 'Second factor' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('h1:not(:has-text("Second factor"))').waitFor();
    await go(page, on.at('/settings'));
    await page.locator('form[action$="/secret/show"] button').click();
    await page.locator('h1', { hasText: 'Webhook secret' }).waitFor();
  });

  test('the password is changed, other sessions end, and the app is removed', async () => {
    const developer = await on.shop.user('developer');
    const elsewhere = await on.as(developer, '/account');
    const page = await on.stage.visitor({}, { asked: [] });
    await signIn(page, developer.email);
    await page.fill('#factor', await nextCode(developer.secret));
    await press(page, 'Go on');
    await go(page, '/account');
    expect(await page.locator('table').last().locator('tbody tr').count()).toBe(2);
    await press(page, 'End all others');
    await says(page, 'The session is ended.');
    await elsewhere.reload();
    expect(await heading(elsewhere)).toBe('Sign in');
    await page.fill('#old', PASSWORD);
    await page.fill('#password', 'quiet rivers 42 run');
    await press(page, 'Change the password');
    await says(page, 'The password is changed.');
    await press(page, 'Make new codes');
    expect(await page.locator('.codes li').count()).toBe(10);
    await go(page, '/account');
    await press(page, 'Remove the authenticator app');
    await says(page, 'The authenticator app is removed.');
    await signOut(page);
    await signIn(page, developer.email, 'quiet rivers 42 run');
    expect(await heading(page)).toBe('Overview');
  });

  opensAll(on, 'entering');
});
