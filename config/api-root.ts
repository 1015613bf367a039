export type ApiRootReading =
  | { readonly kind: 'root'; readonly apiRoot: string }
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * Reads the root of an API. The bot's secret travels to it, so plain http is taken for this machine's own addresses only,
 * unless the bot has `"allowInsecureHttp": true` (a service of one's own on a private network). The problem does not
 * repeat the value, which may hold a password.
 */
export function readApiRoot(text: string, allowInsecureHttp: boolean): ApiRootReading {
  const problem = (words: string): ApiRootReading => ({ kind: 'problem', problem: words });
  if (!URL.canParse(text)) return problem('must be a URL, such as "https://api.telegram.org"');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return problem('must begin with https:// (or http:// for this machine)');
  if (url.username !== '' || url.password !== '')
    return problem('must not have a user name or password in it: give the token by tokenFile or tokenEnv');
  if (/[?#]/.test(text)) return problem('must end before any ? or #: the method is added to it as a path');
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname))
    return problem(
      'would send the token unencrypted: use https://, or add "allowInsecureHttp": true to the bot',
    );
  return { kind: 'root', apiRoot: (url.origin + url.pathname).replace(/\/+$/, '') };
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
