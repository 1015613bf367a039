import { isIPv4 } from 'node:net';

/**
 * Throws unless the root's host is this machine itself: 127.0.0.0/8, `localhost` or `::1`. Tests and the demo call it
 * before anything is sent, so that a wrong configuration can never reach a real service.
 */
export function assertLoopback(apiRoot: string): void {
  let url: URL;
  try {
    url = new URL(apiRoot);
  } catch {
    throw new Error('apiRoot is not a URL; give http://127.0.0.1:<port>');
  }
  const { protocol, hostname } = url;
  const isWeb = protocol === 'http:' || protocol === 'https:';
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
  if (!isWeb || !isLoopback) {
    throw new Error(`apiRoot's host "${hostname}" is not loopback; give http://127.0.0.1:<port>`);
  }
}
