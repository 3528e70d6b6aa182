import { describe, expect, test } from 'bun:test';
import { checkWebhookUrl } from '../../../src/domain/webhooks/webhook-url.ts';

describe('a webhook URL', () => {
  test.each([
    'https://merchant.example/hook',
    'http://merchant.example:8080/hook?order=1&x=%20#part',
    'HTTPS://Merchant.Example',
    'https://münchen.example/ü',
    'http://127.0.0.1:3000/',
    'http://[2606:4700::1111]/',
    'https://merchant.example/@user:pass@',
    `https://m.example/${'a'.repeat(482)}`,
  ])('may be %s', (url) => {
    expect(checkWebhookUrl(url)).toBeNull();
  });

  test.each([
    [`https://m.example/${'a'.repeat(483)}`, 'longer than 500'],
    ['', 'must start with http'],
    ['merchant.example/hook', 'must start with http'],
    ['//merchant.example', 'must start with http'],
    ['ftp://merchant.example', 'must start with http'],
    ['javascript:alert(1)', 'must start with http'],
    ['data:text/html,x', 'must start with http'],
    ['file:///etc/passwd', 'must start with http'],
    ['http:merchant.example', 'must start with http'],
    ['http:/merchant.example', 'must start with http'],
    ['http:///merchant.example', 'must start with http'],
    ['https://', 'must start with http'],
    ['https://?x', 'must start with http'],
    ['https://user:pass@merchant.example', 'user name'],
    ['https://user@merchant.example', 'user name'],
    ['https://@merchant.example', 'user name'],
    ['https://good.example\\@evil.example', 'backslash'],
    ['https:\\\\merchant.example', 'backslash'],
    ['https://merchant.example/a b', 'space'],
    [' https://merchant.example', 'space'],
    ['https://merchant.example\n', 'control'],
    ['ht\ttps://merchant.example', 'control'],
    ['https://merchant.example/\u0000', 'control'],
    ['https://merchant.example/\u007f', 'control'],
    ['https://merchant.example/\u0085', 'control'],
    ['https://merchant.example/\ud800', 'invalid character'],
    ['https://256.1.1.1/', 'malformed'],
    ['https://[::1', 'malformed'],
    ['https://[fe80::1%25eth0]/', 'malformed'],
    ['https://merchant.example:99999/', 'malformed'],
    ['https://mer<chant.example/', 'malformed'],
    ['https://merchant.example:0/', 'port 0'],
  ])('may not be %j', (url, reason) => {
    expect(checkWebhookUrl(url)).toContain(reason);
  });
});
