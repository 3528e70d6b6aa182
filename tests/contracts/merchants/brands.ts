/** The contract of BrandRepository and its BrandQueries. */

import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { changeBrand } from '../../../src/app/merchants/manage-brand.ts';
import { type BrandSettings, NO_BRAND } from '../../../src/domain/merchants/brand.ts';
import { aMerchant, anId } from '../../support/builders.ts';
import { GREEN_PNG, PICTURES } from '../../support/http/pictures.ts';
import type { OpenedQueries } from '../lists/queries.ts';
import { openedFor } from '../opened.ts';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const SET: BrandSettings & { readonly name: string } = {
  name: `O'Neill & "Söhne" 😀`,
  accent: '#0a7d4f',
  logo: { type: 'image/png' as const, bytes: GREEN_PNG },
  support: 'help@shop.example',
  legalName: 'O’Neill Söhne GmbH',
  termsUrl: 'https://shop.example/terms',
  frameAncestors: ['https://shop.example', 'http://localhost:8080'],
};

export function describeBrands(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: brands`, () => {
    const storage = openedFor(open);
    const put = (merchantId: string, brand: BrandSettings) =>
      storage.run((r) => r.brands.put(merchantId, brand));
    const lock = (merchantId: string) => storage.run((r) => r.brands.lock(merchantId));

    test('what was put is read back, byte by byte, and the logo is found by its digest', async () => {
      const { queries } = storage.ports();
      const { id } = await storage.merchant();
      const unset = {
        ...NO_BRAND,
        logo: undefined,
        name: aMerchant().name,
        language: null,
        logoDigest: null,
      };
      expect([await queries.brand(id), await lock(id)]).toEqual([unset, null]);
      const digest = digestOf(GREEN_PNG);
      const shown = { ...SET, logo: undefined, language: null, logoDigest: digest };
      expect(await put(id, SET)).toEqual(shown);
      expect(await queries.brand(id)).toEqual(shown);
      expect(await lock(id)).toEqual(SET);
      expect(await queries.logo(digest)).toEqual({ type: 'image/png', bytes: GREEN_PNG });
    });

    test('changes that operators make at once all stand, the first ones too', async () => {
      const { id } = await storage.merchant();
      const change = changeBrand(storage.ports());
      await Promise.all(
        Object.entries(SET).map(([field, value]) => change(id, { clears: false, [field]: value })),
      );
      expect(await lock(id)).toEqual(SET);
    });

    test('a change takes the place of everything, and a logo that nobody has is gone', async () => {
      const { queries } = storage.ports();
      const { id } = await storage.merchant();
      const [, type, bytes] = PICTURES[1] ?? ['', 'image/png', new Uint8Array()];
      await put(id, { ...SET, logo: { type, bytes } });
      expect(await queries.logo(digestOf(bytes))).toEqual({ type, bytes });
      expect(await put(id, NO_BRAND)).toMatchObject({
        name: aMerchant().name,
        accent: null,
        logoDigest: null,
      });
      expect(await lock(id)).toEqual(NO_BRAND);
      expect(await queries.logo(digestOf(bytes))).toBeNull();
    });

    test('merchants with the same logo share its address, and keep it when one takes it away', async () => {
      const { queries } = storage.ports();
      const [one, other] = [await storage.merchant(), await storage.merchant()];
      for (const { id } of [one, other]) await put(id, SET);
      await put(one.id, { ...SET, logo: null });
      expect((await queries.brand(one.id))?.logoDigest).toBeNull();
      expect(await queries.logo(digestOf(GREEN_PNG))).toMatchObject({ type: 'image/png' });
      expect((await queries.brand(other.id))?.logoDigest).toBe(digestOf(GREEN_PNG));
    });

    test.each([
      { name: '' },
      { name: 'a'.repeat(81) },
      { accent: '#0A7D4F' },
      { accent: 'red' },
      { legalName: '' },
      { support: 'a'.repeat(255) },
      { termsUrl: '' },
      { frameAncestors: Array.from({ length: 21 }, (_, n) => `https://${n}.example`) },
      { logo: { type: 'image/svg+xml' as 'image/png', bytes: GREEN_PNG } },
      { logo: { type: 'image/png' as const, bytes: new Uint8Array() } },
      { logo: { type: 'image/png' as const, bytes: new Uint8Array(131_073) } },
    ])('an impossible brand cannot be stored (%#)', async (change) => {
      const { id } = await storage.merchant();
      await expect(put(id, { ...SET, ...change })).rejects.toThrow();
    });

    test('a brand is of a merchant that is there', async () => {
      await expect(put(aMerchant().id, SET)).rejects.toThrow();
      expect(await storage.ports().queries.brand(anId())).toBeNull();
    });
  });
}
