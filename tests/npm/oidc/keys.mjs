// Makes a private JWK set:  node keys.mjs KID=ALG ...
import { exportJWK, generateKeyPair } from 'jose';

const keys = [];
for (const word of process.argv.slice(2)) {
  const [kid, alg] = word.split('=');
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  keys.push({ ...(await exportJWK(privateKey)), kid, alg, use: 'sig' });
}
console.log(JSON.stringify({ keys }));
