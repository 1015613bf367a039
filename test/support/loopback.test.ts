import { describe, expect, it } from 'vitest';
import { assertLoopback } from './loopback.ts';

describe('assertLoopback', () => {
  it.each([
    'http://127.0.0.1:8081',
    'https://127.0.0.1:8443/api',
    'http://127.9.8.7',
    'http://localhost:1',
    'http://LOCALHOST:1',
    'http://[::1]:80',
    'http://127.1:80',
    'http://0x7f.0.0.1',
  ])('lets %s pass, which is this machine', (apiRoot) => {
    expect(() => assertLoopback(apiRoot)).not.toThrow();
  });

  it.each([
    'https://api.telegram.org',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1@example.com',
    'http://localhost.example.com',
    'http://localhost@10.0.0.1',
    'http://0.0.0.0:80',
    'http://128.0.0.1',
    'http://10.127.0.0.1.nip.io',
    'http://[::2]',
    'http://[::ffff:127.0.0.1]',
    'ftp://127.0.0.1',
    'file:///localhost',
    '127.0.0.1:80',
    '',
  ])('refuses "%s"', (apiRoot) => {
    expect(() => assertLoopback(apiRoot)).toThrow(/apiRoot/);
  });

  it('keeps user and password of the URL out of its message', () => {
    expect(() => assertLoopback('https://user:hidden@example.com')).toThrow(/^(?!.*hidden)/);
  });
});
