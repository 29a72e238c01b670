// Validates Kubernetes documents against the schemas of their kinds: node validate.js FILE... Prints a line for each
// invalid document, and exits with 1 if there are any.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const { apiVersion, kind, ...rest } = document.toJS();
    const models = apiVersion.startsWith('monitoring.')
      ? '@kubernetes-models/prometheus-operator'
      : 'kubernetes-models';
    try {
      const { [kind]: Model } = await import(`${models}/${apiVersion}/${kind}`);
      new Model(rest).validate();
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`${file}: ${kind}: ${error.message}\n`);
    }
  }
}
