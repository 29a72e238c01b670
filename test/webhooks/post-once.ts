// Makes one attempt in a separate process, and prints the result. Run by https.test.ts.
import { post } from '../../src/webhooks/post.js';

const [url = ''] = process.argv.slice(2);
const settings = {
  allowsHttp: false,
  allowedNetworks: ['127.0.0.1/32'],
  proxy: undefined,
  resolve: async () => ['127.0.0.1'],
};
process.stdout.write(JSON.stringify(await post(url, {}, '{}', settings, new AbortController().signal)));
