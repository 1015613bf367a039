// Serves npm's telegram-test-api on loopback: node serve.mjs FOLDER PORT, where FOLDER is where it was installed.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, port] = process.argv.slice(2);
const TelegramServer = createRequire(join(folder, 'package.json'))('telegram-test-api');
// Seconds: by default it forgets after one minute what it has received.
await new TelegramServer({ host: '127.0.0.1', port: Number(port), storeTimeout: 3600 }).start();
