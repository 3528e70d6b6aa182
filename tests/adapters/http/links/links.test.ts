/** /api/v2/links over HTTP: what a link may be, and who sees and changes it. */
import { describe, expect, test } from 'bun:test';
import { harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { GREEN_PNG } from '../../../support/http/pictures.ts';

stageHarness();

const LINKS = '/api/v2/links';
const PLAN = { title: 'Annual plan', amount: 25, fiat_currency: 'EUR' };

async function linkOf(body: object) {
  const it = await openHarness();
  const { status, json } = await it.call('POST', LINKS, { body });
  expect([status, json.error ?? null]).toEqual([201, null]);
  return { ...it, link: json.result };
}

async function faultsOf(body: object): Promise<readonly { field: string; message: string }[]> {
  const it = await openHarness();
  const { status, json } = await it.call('POST', LINKS, { body });
  expect(status).toBe(422);
  expect(await it.call('GET', LINKS).then(({ json: { pagination } }) => pagination.total)).toBe(0);
  return json.error.details;
}

describe('a payment link', () => {
  test('has a page, QR codes, a button and a frame of its own, and defaults for the rest', async () => {
    const { link } = await linkOf(PLAN);
    const url = `http://localhost/l/${link.slug}`;
    expect(link).toMatchObject({
      ...{ url, qr_svg_url: `${url}/qr.svg`, qr_png_url: `${url}/qr.png`, mode: 'payment', amount: 25 },
      ...{ fiat_currency: 'EUR', ttl: 3600, active: true, stock: null, fields: [], suggested_amounts: [] },
    });
    expect(link.slug).toMatch(/^[0-9a-f]{12}$/);
    expect(link.button_html).toContain(`href="${url}"`);
    expect(link.frame_html).toContain(`src="${url}?frame=1"`);
  });

  test('has every field as it was given', async () => {
    const given = {
      ...{ title: 'Tea', description: 'Green', slug: 'tea', mode: 'donation', fiat_currency: 'USD' },
      ...{ min_amount: 1, max_amount: 100.5, suggested_amounts: [5, 10.25], accepted_coins: ['btc_bitcoin'] },
      ...{ stock: 7, fields: ['name', 'note'], success_url: 'https://shop.example/thanks', extra: 'tea-1' },
      ...{ notify_url: 'https://shop.example/hook', ttl: 600, active: false },
    };
    const { link, call } = await linkOf({ ...given, expires_at: '2030-01-01T00:00:00Z' });
    expect(link).toMatchObject({ ...given, expires_at: 1_893_456_000 });
    expect((await call('GET', `${LINKS}/${link.id}`)).json.result).toEqual(link);
    expect((await call('GET', LINKS)).json.result).toEqual([link]);
  });

  test('takes a picture, and nothing that is none', async () => {
    const picture = Buffer.from(GREEN_PNG).toString('base64');
    const { link, server } = await linkOf({ ...PLAN, picture });
    expect(link.picture_url).toBe(`${link.url}/picture`);
    const served = await server.handle(new Request(link.picture_url));
    expect(Buffer.from(await served.arrayBuffer()).toString('base64')).toBe(picture);
    expect(await faultsOf({ ...PLAN, picture: 'bm90aGluZw==' })).toEqual([
      { field: 'picture', message: 'is no PNG, JPEG or WebP picture' },
    ]);
  });

  test('names every fault within its lists', async () => {
    const faults = await faultsOf({ title: 'Tea', suggested_amounts: [5, -1], tips: [0], fields: ['age'] });
    expect(faults.map(({ field }) => field).toSorted()).toEqual([
      'fields.0',
      'suggested_amounts.1',
      'tips.0',
    ]);
  });

  test('is on no page beyond the last one, however far', async () => {
    const { call } = await linkOf(PLAN);
    for (const page of [2, 207_454_653_672_830, Number.MAX_SAFE_INTEGER])
      expect((await call('GET', `${LINKS}?page=${page}&per_page=100`)).json.result).toEqual([]);
  });

  test.each([
    [{ ...PLAN, amount: 1.005 }, 'amount', 'must have at most 2 decimals in EUR'],
    [{ ...PLAN, fiat_currency: 'JPY', amount: 1.5 }, 'amount', 'must have at most 0 decimals in JPY'],
    [{ ...PLAN, min_amount: 1 }, 'min_amount', 'must be absent beside amount'],
    [{ ...PLAN, suggested_amounts: [1] }, 'suggested_amounts', 'must be absent beside amount'],
    [{ title: 'x', min_amount: 5, max_amount: 4 }, 'max_amount', 'must be at least min_amount'],
    [
      { title: 'x', min_amount: 5, suggested_amounts: [4] },
      'suggested_amounts',
      'must be between min_amount and max_amount',
    ],
    [{ ...PLAN, mode: 'point_of_sale' }, 'amount', 'must be absent: the amount is entered at the till'],
    [{ ...PLAN, tips: [5] }, 'tips', 'requires the mode point_of_sale'],
    [
      { title: 'x', mode: 'point_of_sale', slug: 'till' },
      'slug',
      'must be absent: the URL of a point_of_sale is a secret',
    ],
    [{ ...PLAN, amount: 0 }, 'amount', 'must be above 0'],
    [{ ...PLAN, amount: 'x' }, 'amount', 'must be a number'],
    [{ ...PLAN, stock: 0 }, 'stock', 'must be between 1 and 1000000'],
    [{ ...PLAN, fields: ['phone'] }, 'fields.0', 'must be one of name, email, note'],
    [{ ...PLAN, slug: 'No' }, 'slug', 'must have at least 3 characters'],
    [{ ...PLAN, slug: 'a b' }, 'slug', 'must be 3 to 64 characters of a-z, 0-9 and -'],
    [
      { ...PLAN, expires_at: 'soon' },
      'expires_at',
      'must be an ISO-8601 datetime or a Unix timestamp in seconds',
    ],
    [{ ...PLAN, success_url: 'javascript:x' }, 'success_url', 'must be an http or https URL'],
    [{ amount: 5 }, 'title', 'is required'],
  ])('is refused: %j', async (body, field, message) => {
    expect(await faultsOf(body)).toContainEqual({ field, message });
  });

  test('cannot have the slug of another one, not even of another merchant', async () => {
    const it = await linkOf({ ...PLAN, slug: 'plan' });
    const stranger = await it.addMerchant();
    for (const key of [it.liveKey, stranger.sandboxKey]) {
      const { status, json } = await it.call('POST', LINKS, { key, body: { ...PLAN, slug: 'plan' } });
      expect([status, json.error.details]).toEqual([422, [{ field: 'slug', message: 'is taken' }]]);
    }
  });

  test('is made once for an Idempotency-Key', async () => {
    const it = await openHarness();
    const post = () => it.call('POST', LINKS, { body: PLAN, headers: { 'idempotency-key': 'link-1' } });
    const [first, second] = [await post(), await post()];
    expect(second.text).toBe(first.text);
    expect((await it.call('GET', LINKS)).json.pagination.total).toBe(1);
  });

  test('of a till has a secret URL', async () => {
    const { link } = await linkOf({ title: 'Till', mode: 'point_of_sale', tips: [5, 10] });
    expect(link.slug).toMatch(/^[0-9a-f]{32}$/);
    expect(link.tips).toEqual([5, 10]);
  });
});

describe('a change of a payment link', () => {
  test('changes what it names, removes what is null, and keeps the rest', async () => {
    const { link, call } = await linkOf({ ...PLAN, description: 'Old', stock: 5, extra: 'a' });
    harnessClock.advance(5);
    const body = { amount: 30, description: null, active: false, fields: ['email'] };
    const { status, json } = await call('PATCH', `${LINKS}/${link.id}`, { body });
    expect(status).toBe(200);
    expect(json.result).toEqual({ ...link, ...body, updated_at: link.updated_at + 5 });
    expect((await call('GET', `${LINKS}/${link.id}`)).json.result).toEqual(json.result);
  });

  test('that contradicts what is there changes nothing', async () => {
    const { link, call } = await linkOf(PLAN);
    for (const body of [{ min_amount: 1 }, { tips: [5] }, { amount: -1 }, { stock: 'x' }, { title: '' }])
      expect([body, (await call('PATCH', `${LINKS}/${link.id}`, { body })).status]).toEqual([body, 422]);
    expect((await call('GET', `${LINKS}/${link.id}`)).json.result).toEqual(link);
    const customer = { amount: null, min_amount: 1, suggested_amounts: [2] };
    const { json } = await call('PATCH', `${LINKS}/${link.id}`, { body: customer });
    expect(json.result).toMatchObject(customer);
  });

  test('keeps the picture unless it names one', async () => {
    const picture = Buffer.from(GREEN_PNG).toString('base64');
    const { link, call } = await linkOf({ ...PLAN, picture });
    const changed = await call('PATCH', `${LINKS}/${link.id}`, { body: { title: 'New' } });
    expect(changed.json.result.picture_url).toBe(link.picture_url);
    const removed = await call('PATCH', `${LINKS}/${link.id}`, { body: { picture: null } });
    expect(removed.json.result.picture_url).toBeNull();
  });
});

test('a link of another merchant or environment does not exist', async () => {
  const { link, call, sandboxKey, addMerchant } = await linkOf(PLAN);
  const stranger = await addMerchant();
  for (const key of [sandboxKey, stranger.liveKey]) {
    expect((await call('GET', `${LINKS}/${link.id}`, { key })).status).toBe(404);
    expect((await call('PATCH', `${LINKS}/${link.id}`, { key, body: { title: 'x' } })).status).toBe(404);
    expect((await call('GET', LINKS, { key })).json.result).toEqual([]);
  }
});
