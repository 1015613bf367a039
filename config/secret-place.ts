import { readFileSync, statSync } from 'node:fs';
import type { TokenSource } from './bot-config.ts';
import type { Environment } from './load.ts';

/** A secret that was read, or why there is none; `why` never repeats it (invariant 8). */
export type SecretReading =
  { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'missing'; readonly why: string };

const maxFileBytes = 4096;

/** Reads a secret where it is; line ends after it do not count. `name` says what it is: "token". */
export function readSecret(source: TokenSource, env: Environment, name: string): SecretReading {
  const reading = source.kind === 'env' ? fromVariable(source.variable, env) : fromFile(source.path, name);
  return reading.kind === 'secret'
    ? { kind: 'secret', secret: reading.secret.replace(/[\r\n]+$/, '') }
    : reading;
}

function fromVariable(variable: string, env: Environment): SecretReading {
  const secret = env[variable];
  return secret === undefined
    ? { kind: 'missing', why: `the environment variable ${variable} is not set: set it, and start again` }
    : { kind: 'secret', secret };
}

function fromFile(path: string, name: string): SecretReading {
  try {
    const status = statSync(path);
    if (!status.isFile())
      return { kind: 'missing', why: `${path} is not a file: put the ${name} into a file there` };
    if (status.size > maxFileBytes)
      return {
        kind: 'missing',
        why: `${path} is too large for a ${name} (${status.size} bytes): put the ${name} there, and nothing else`,
      };
    return { kind: 'secret', secret: readFileSync(path, 'utf8').replace(/^\uFEFF/, '') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const why =
      code === 'ENOENT'
        ? `does not exist: put the ${name} into it`
        : `cannot be read (${code}): let this user read it`;
    return { kind: 'missing', why: `the ${name} file ${path} ${why}` };
  }
}
