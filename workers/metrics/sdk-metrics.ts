import { get } from 'node:http';

const answerWithinMs = 2000;

/** What the SDK's core serves on a port of its own, on loopback. Rejects where it does not answer in time. */
export function readSdkMetrics(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: answerWithinMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new Error(`the SDK's metrics were answered ${response.statusCode}`));
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${answerWithinMs} ms`)));
    request.on('error', reject);
  });
}
