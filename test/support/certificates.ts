import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of an authority's certificate, and of what it signed. */
export interface Certificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Certificates of an authority of their own in `folder`; the server's is for the name `temporal.test` only. */
export function makeCertificates(folder: string, name: string): Certificates {
  const at = (file: string): string => join(folder, `${name}-${file}`);
  const ca = at('ca.pem');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    at('ca.key'),
    '-out',
    ca,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  );
  const sign = (subject: string) => {
    const [key, request, cert] = [at(`${subject}.key`), at(`${subject}.csr`), at(`${subject}.pem`)];
    const extensions = at(`${subject}.ext`);
    writeFileSync(extensions, `subjectAltName=DNS:${subject}\n`);
    openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${subject}`);
    const signer = ['-CA', ca, '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', request, ...signer, '-extfile', extensions, '-out', cert);
    return { cert, key };
  };
  return { ca, server: sign('temporal.test'), client: sign('worker.test') };
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
