/** Passwords are argon2id, and an unknown user costs as much as a wrong password. */
import { describe, expect, test } from 'bun:test';
import { argon2Passwords } from '../../../src/adapters/accounts/argon2.ts';

describe('passwords', () => {
  const passwords = argon2Passwords();

  test('a password fits its hash, which is argon2id with 19 MiB, two passes and a salt of its own', async () => {
    const [hash, again] = [
      await passwords.hash('a stable with 9 horses'),
      await passwords.hash('a stable with 9 horses'),
    ];
    expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(again).not.toBe(hash);
    expect(await passwords.verify('a stable with 9 horses', hash)).toBe(true);
    for (const other of ['a stable with 9 horse', 'A stable with 9 horses', '', ' '])
      expect(await passwords.verify(other, hash)).toBe(false);
  });

  test('nothing fits nobody, and takes as long', async () => {
    const hash = await passwords.hash('a stable with 9 horses');
    expect(await passwords.verify('nobody', null)).toBe(false);
    expect(await passwords.verify('', null)).toBe(false);
    const took = async (stored: string | null) => {
      const times: number[] = [];
      for (let time = 0; time < 9; time += 1) {
        const began = performance.now();
        await passwords.verify('a wrong password', stored);
        times.push(performance.now() - began);
      }
      return times.sort((one, other) => one - other)[4]!;
    };
    const [known, unknown] = [await took(hash), await took(null)];
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
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
