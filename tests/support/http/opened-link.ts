/** Payment links over HTTP: for tests of their pages. The test file stages the harness. */
import { expect } from 'bun:test';
import { openHarness } from './http-harness.ts';

export const PLAN = { title: 'Annual plan', amount: 25 };
export const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

/** A payment link of a merchant of its own, in the sandbox, and what customers do with it. */
export async function opened(body: object = PLAN, options: Parameters<typeof openHarness>[0] = {}) {
  const it = await openHarness(options);
  const { json } = await it.call('POST', '/api/v2/links', { body, key: it.sandboxKey });
  const link = json.result;
  const path = `/l/${link.slug}`;
  const page = (query = '', headers = {}) => it.call('GET', path + query, { key: null, headers });
  const send = (form: Record<string, string> = {}, headers: Record<string, string> = FORM) =>
    it.call('POST', path, { key: null, body: new URLSearchParams(form).toString(), headers });
  const change = (changed: object) =>
    it.call('PATCH', `/api/v2/links/${link.id}`, { key: it.sandboxKey, body: changed });
  const invoices = async () =>
    (await it.call('GET', '/api/v2/invoices?per_page=100', { key: it.sandboxKey })).json.result;
  const simulate = async (status: string) => {
    const [{ order_id }] = await invoices();
    const path_ = `/api/v2/invoices/${order_id}/simulate`;
    expect((await it.call('POST', path_, { key: it.sandboxKey, body: { status } })).status).toBe(200);
  };
  return { ...it, link, path, page, send, change, invoices, simulate };
}
