/**
 * The npm client `coinpayments` of CoinPayments' old API, unmodified. Its host is fixed, so what it
 * sends is led to a service on loopback.
 */
import { spyOn } from 'bun:test';
import http from 'node:http';
import https, { type RequestOptions } from 'node:https';
import Coinpayments from 'coinpayments';

/**
 * The client with the API key as both of its keys. Until `restore`, the requests of every such
 * client go to `serviceUrl`.
 */
export function npmCoinpayments(serviceUrl: string, apiKey: string) {
  const { hostname, port } = new URL(serviceUrl);
  const request = spyOn(https, 'request').mockImplementation(((
    { host, path, ...asked }: RequestOptions,
    answered: (response: http.IncomingMessage) => void,
  ) => {
    if (host !== 'www.coinpayments.net') throw new Error(`a request to ${host}`);
    const here = { protocol: 'http:', host: hostname, port, path: `/compat/coinpayments/v1${path}` };
    return http.request({ ...asked, ...here }, answered);
  }) as typeof https.request);
  return {
    client: new Coinpayments({ key: apiKey, secret: apiKey }),
    restore: () => request.mockRestore(),
  };
}
