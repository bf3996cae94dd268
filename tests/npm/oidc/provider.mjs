// A real OpenID provider for tests/e2e/test_oidc.py.
//     node provider.mjs PORT KEYS.json REDIRECT_URI
// Prints "ready" when it listens. Lines on standard input are commands, answered by a line:
//     {"sign": CLAIMS, "alg": "RS256", "kid": "a"}   a token signed with a key of KEYS.json
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { importJWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';

const [port, keysFile, redirect] = process.argv.slice(2);
const keys = JSON.parse(readFileSync(keysFile, 'utf8'));
const AUDIENCE = 'urn:motet:test';
const PEOPLE = { ada: ['requesters'], bob: ['approvers'], eve: [] };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: keys,
  clients: [
    {
      client_id: 'till', client_secret: 'till-secret', grant_types: ['client_credentials'],
      redirect_uris: [], response_types: [],
    },
    {
      client_id: 'motet-web', client_secret: 'web-secret', grant_types: ['authorization_code'],
      redirect_uris: [redirect], response_types: ['code'],
    },
  ],
  claims: { openid: ['sub', 'groups'], profile: ['name'] },
  conformIdTokenClaims: false,
  cookies: { keys: ['only for tests'] },
  extraTokenClaims: () => ({ groups: ['tills'] }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => AUDIENCE,
      getResourceServerInfo: () => ({
        scope: 'use', audience: AUDIENCE, accessTokenFormat: 'jwt', accessTokenTTL: 600,
        jwt: { sign: { alg: keys.keys[0].alg, kid: keys.keys[0].kid } },
      }),
      useGrantedResource: () => true,
    },
  },
  findAccount: (ctx, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: id, groups: PEOPLE[id] ?? [] }),
  }),
  pkce: { required: () => true },
});

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { sign, alg, kid } = JSON.parse(line);
  const jwk = keys.keys.find((k) => k.kid === kid);
  const token = await new SignJWT(sign).setProtectedHeader({ alg, kid }).sign(await importJWK(jwk, alg));
  console.log(`token ${token}`);
}).on('close', () => process.exit(0));

provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
