/** Passwords are argon2id, and an unknown user costs as much as a wrong password. */
import { describe, expect, spyOn, test } from 'bun:test';
import { argon2Passwords } from '../../../src/adapters/accounts/argon2.ts';

const COST = '$argon2id$v=19$m=19456,t=2,p=1$';

describe('passwords', () => {
  const passwords = argon2Passwords();

  test('a password fits its hash, which is argon2id with 19 MiB, two passes and a salt of its own', async () => {
    const [hash, again] = [
      await passwords.hash('a stable with 9 horses'),
      await passwords.hash('a stable with 9 horses'),
    ];
    expect(hash).toStartWith(COST);
    expect(again).not.toBe(hash);
    expect(await passwords.verify('a stable with 9 horses', hash)).toBe(true);
    for (const other of ['a stable with 9 horse', 'A stable with 9 horses', '', ' '])
      expect(await passwords.verify(other, hash)).toBe(false);
  });

  test('nothing fits nobody, and is compared with a hash of the same cost', async () => {
    const verify = spyOn(Bun.password, 'verify');
    try {
      expect(await passwords.verify('nobody', null)).toBe(false);
      expect(await passwords.verify('', null)).toBe(false);
      const compared = verify.mock.calls.map(([, hash]) => String(hash));
      expect(compared.map((hash) => hash.slice(0, COST.length))).toEqual([COST, COST]);
    } finally {
      verify.mockRestore();
    }
  });

  test('passwords that come at once wait for each other, and all are answered', async () => {
    const hash = await passwords.hash('a stable with 9 horses');
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, nth) =>
        passwords.verify(nth === 3 ? 'a stable with 9 horses' : 'no', hash),
      ),
    );
    expect(answers).toEqual([false, false, false, true, false, false]);
    await expect(passwords.verify('x', 'no hash')).rejects.toThrow();
    expect(await passwords.verify('a stable with 9 horses', hash)).toBe(true);
  });
});
