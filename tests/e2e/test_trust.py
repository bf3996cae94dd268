"""motet keygen, sign, verify: keys for their owner only, attestations that anyone can check."""
import base64
import hashlib
import json
import os
import shutil
import stat

import ledgers
from harness import SOURCE, Case, main

ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"


class Keygen(Case):
    def test_it_writes_a_pair_in_base64_without_newline(self):
        result = self.holds("keygen", "--prefix", "k")
        self.assertRegex(result.out, r"\AGenerated Ed25519 keypair: k.secret, k.pub\n"
                                     r"fingerprint: [0-9a-f]{16}\.\.\.\n\Z")
        for name, mode in (("k.secret", 0o600), ("k.pub", 0o644)):
            path = self.dir / name
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), mode)
            self.assertEqual(len(base64.b64decode(path.read_bytes(), validate=True)), 32)

    def test_the_default_prefix(self):
        self.holds("keygen")
        self.assertEqual(sorted(os.listdir(self.dir)), ["tenor-key.pub", "tenor-key.secret"])

    def test_the_secret_is_private_whatever_the_umask(self):
        before = os.umask(0)
        try:
            self.holds("keygen", "--prefix", "k")
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE((self.dir / "k.secret").stat().st_mode), 0o600)

    def test_nothing_is_ever_replaced(self):
        self.holds("keygen", "--prefix", "k")
        before = (self.dir / "k.secret").read_bytes()
        self.assertIn("never replaced", self.fails(1, "keygen", "--prefix", "k").err)
        self.assertEqual((self.dir / "k.secret").read_bytes(), before)

    def test_a_link_in_the_way_is_not_followed(self):
        (self.dir / "k.secret").symlink_to(self.dir / "elsewhere")
        self.fails(1, "keygen", "--prefix", "k")
        self.assertFalse((self.dir / "elsewhere").exists())

    def test_only_ed25519(self):
        self.assertIn("only ed25519", self.fails(2, "keygen", "--algorithm", "rsa").err)
        self.fails(3, "keygen", "--prefix", "no/such/dir/k")

    def test_as_json(self):
        answer = json.loads(self.holds("keygen", "--prefix", "k", "--json").out)
        public = base64.b64decode((self.dir / "k.pub").read_bytes())
        self.assertEqual(answer["public_key"], public.hex())
        self.assertEqual(answer["signer"], hashlib.sha256(public).hexdigest()[:16] + "...")
        self.assertNotIn((self.dir / "k.secret").read_text(), json.dumps(answer))


class Signed(Case):
    def setUp(self):
        super().setUp()
        self.holds("keygen", "--prefix", "k")
        self.contract = pathlib_copy(ESCROW, self.dir / "escrow.tenor")

    def sign(self, name, *more):
        return self.holds("sign", name, "--key", "k.secret", *more)

    def manifest(self):
        return json.loads((self.dir / "escrow.signed.json").read_text())

    def put(self, manifest):
        return self.write("x.json", json.dumps(manifest))


class Sign(Signed):
    def test_E18_the_manifest_has_the_attestation(self):
        result = self.sign("escrow.tenor")
        text = (self.dir / "escrow.signed.json").read_text()
        manifest = json.loads(text)
        self.assertEqual(list(manifest), ["bundle", "etag", "tenor", "trust"])
        self.assertEqual(text, json.dumps(manifest, indent=2, ensure_ascii=False))
        self.assertEqual(sorted(manifest["trust"]),
                         ["attestation_format", "bundle_attestation", "signer_public_key"])
        self.assertEqual(manifest["trust"]["signer_public_key"], (self.dir / "k.pub").read_text())
        public = base64.b64decode((self.dir / "k.pub").read_bytes())
        signer = hashlib.sha256(public).hexdigest()[:16]
        self.assertEqual(result.out, "Signed bundle written to 'escrow.signed.json'\n"
                         f"etag: {manifest['etag']}\nsigner: {signer}...\n")

    def test_E18_source_bundle_and_manifest_get_the_same_attestation(self):
        self.sign("escrow.tenor")
        first = self.manifest()
        self.write("b.json", self.holds("elaborate", "escrow.tenor").out)
        self.sign("b.json")
        second = json.loads((self.dir / "b.signed.json").read_text())
        self.assertEqual(first["trust"], second["trust"])
        self.write("m.json", self.holds("elaborate", "--manifest", "escrow.tenor").out)
        self.sign("m.json", "--out", "n.json")
        third = json.loads((self.dir / "n.json").read_text())
        self.assertEqual(first["trust"], third["trust"])
        self.assertEqual(third["capabilities"], {"migration_analysis_mode": "conservative"})

    def test_E20_the_trust_domain_is_declared(self):
        self.sign("escrow.tenor", "--domain", "acme.prod.eu")
        self.assertEqual(self.manifest()["trust"]["trust_domain"], "acme.prod.eu")
        self.holds("verify", "escrow.signed.json", "--domain", "acme.prod.eu")
        self.assertIn("trust domain", self.fails(1, "verify", "escrow.signed.json",
                                                 "--domain", "acme.test.eu").err)
        for bad in ("", "a\nb"):
            self.fails(2, "sign", "escrow.tenor", "--key", "k.secret", "--domain", bad)

    def test_a_signed_manifest_is_a_contract_like_any_other(self):
        self.sign("escrow.tenor")
        self.assertIn("valid manifest", self.holds("validate", "escrow.signed.json").out)

    def test_a_key_others_may_read_is_refused(self):
        for mode in (0o640, 0o604, 0o666):
            (self.dir / "k.secret").chmod(mode)
            result = self.fails(1, "sign", "escrow.tenor", "--key", "k.secret")
            self.assertIn("others may read this secret key", result.err)
            self.assertFalse((self.dir / "escrow.signed.json").exists())

    def test_what_is_no_key_or_no_contract_signs_nothing(self):
        self.write("empty", "").chmod(0o600)
        self.assertIn("holds no key", self.fails(1, "sign", "escrow.tenor", "--key", "empty").err)
        self.fails(3, "sign", "escrow.tenor", "--key", "nowhere")
        self.fails(2, "sign", "escrow.tenor")
        self.write("bad.tenor", "persona")
        self.fails(1, "sign", "bad.tenor", "--key", "k.secret")
        self.assertEqual([p.name for p in self.dir.glob("*.signed.json")], [])

    def test_a_manifest_whose_etag_lies_is_not_signed(self):
        manifest = json.loads(self.holds("elaborate", "--manifest", "escrow.tenor").out)
        manifest["etag"] = "0" * 64
        self.fails(1, "sign", self.put(manifest), "--key", "k.secret")

    def test_the_secret_never_appears(self):
        secret = (self.dir / "k.secret").read_text()
        result = self.sign("escrow.tenor", "--json")
        for text in (result.out, result.err, (self.dir / "escrow.signed.json").read_text()):
            self.assertNotIn(secret, text)
            self.assertNotIn(base64.b64decode(secret).hex(), text)


class Verify(Signed):
    def setUp(self):
        super().setUp()
        self.sign("escrow.tenor")

    def reason(self, manifest, *more):
        result = self.fails(1, "verify", self.put(manifest), *more)
        self.assertEqual(result.out, "")
        self.assertTrue(result.err.startswith("Verification failed: "), result.err)
        return result.err[len("Verification failed: "):].rstrip("\n")

    def test_E18_anyone_with_the_public_key_can_check(self):
        public = base64.b64decode((self.dir / "k.pub").read_bytes())
        signer = hashlib.sha256(public).hexdigest()[:16]
        (self.dir / "k.secret").unlink()
        (self.dir / "escrow.tenor").unlink()
        for key in ("k.pub", public.hex(), base64.b64encode(public).decode()):
            result = self.holds("verify", "escrow.signed.json", "--pubkey", key)
            self.assertEqual((result.out, result.err), (
                f"Bundle verified: etag matches, signature valid, signer: {signer}...\n", ""))
        self.assertIn("the key is the manifest's own", self.holds("verify", "escrow.signed.json").err)

    def test_E18_it_is_an_ed25519_signature_of_the_etag(self):
        """Checked by openssl, which knows nothing of us."""
        manifest = self.manifest()
        public = base64.b64decode(manifest["trust"]["signer_public_key"])
        (self.dir / "sig").write_bytes(base64.b64decode(manifest["trust"]["bundle_attestation"]))
        words = ("-verify", "-pubin", "-sigfile", str(self.dir / "sig"))
        done = ledgers.openssl(ledgers.SPKI + public, manifest["etag"].encode(), *words)
        self.assertEqual(done.returncode, 0, done)
        done = ledgers.openssl(ledgers.SPKI + public, b"0" * 64, *words)
        self.assertNotEqual(done.returncode, 0)

    def test_E18_layout_does_not_matter_content_does(self):
        manifest = self.manifest()
        self.holds("verify", self.put(manifest), "--pubkey", "k.pub")
        manifest["bundle"]["constructs"][0]["id"] += "x"
        reason = self.reason(manifest)
        self.assertTrue(reason.startswith("etag mismatch: bundle content has been modified (stored: "))

    def test_a_forged_etag_does_not_help(self):
        manifest = self.manifest()
        manifest["bundle"]["id"] = "other"
        text = json.dumps(manifest["bundle"], sort_keys=True, separators=(",", ":"),
                          ensure_ascii=False)
        manifest["etag"] = hashlib.sha256(text.encode()).hexdigest()
        self.assertTrue(self.reason(manifest).startswith("invalid signature"))

    def test_another_key_is_refused(self):
        self.holds("keygen", "--prefix", "other")
        self.assertTrue(self.reason(self.manifest(), "--pubkey", "other.pub")
                        .startswith("invalid signature"))

    def test_what_is_missing_is_named(self):
        for path, reason in (
                (["trust"], "no trust section found"),
                (["trust", "attestation_format"], "attestation_format missing from trust section"),
                (["trust", "signer_public_key"], "no public key available (provide --pubkey or "
                 "ensure signer_public_key is in trust section)"),
                (["trust", "bundle_attestation"], "bundle_attestation missing from trust section"),
                (["bundle"], "no bundle field found in signed bundle"),
                (["etag"], "etag field missing from signed bundle")):
            manifest = self.manifest()
            holder = manifest
            for name in path[:-1]:
                holder = holder[name]
            del holder[path[-1]]
            self.assertEqual(self.reason(manifest), reason)

    def test_an_unknown_format_is_opaque(self):
        self.sign("escrow.tenor", "--format", "mine")
        self.assertEqual(self.reason(self.manifest()), "unrecognized attestation format: mine")

    def test_as_json(self):
        answer = json.loads(self.holds("verify", "escrow.signed.json", "--pubkey", "k.pub",
                                       "--json").out)
        self.assertEqual((answer["verified"], answer["vouched_by_own_key"]), (True, False))
        manifest = self.manifest()
        manifest["etag"] = "0" * 64
        result = self.fails(1, "verify", self.put(manifest), "--json")
        self.assertFalse(json.loads(result.out)["verified"])

    def test_what_is_no_manifest_is_refused(self):
        for text in ("", "[]", "{", '{"trust":1}', "\0", '{"a":1,"a":2}'):
            self.fails(1, "verify", self.write("y.json", text))
        self.fails(3, "verify", "nowhere.json")
        self.fails(2, "verify", "escrow.signed.json", "--pubkey", "nowhere.pub")
        self.fails(1, "verify", "escrow.signed.json", "--limit", "json_bytes=100")


class Agents(Case):
    """Keys of both spellings serve everywhere."""

    def test_a_key_from_keygen_signs_dna(self):
        self.holds("keygen", "--prefix", "k")
        agent = SOURCE / "examples" / "agents" / "buyer.yaml"
        signed = self.holds("agent", "dna", "sign", agent, "--key", "k.secret").out
        self.write("dna.json", signed)
        self.holds("agent", "dna", "verify", "dna.json", "--key", "k.pub")

    def test_agent_keys_are_never_replaced_either(self):
        self.holds("agent", "dna", "keygen", "key")
        self.fails(1, "agent", "dna", "keygen", "key")


def pathlib_copy(source, target):
    shutil.copyfile(source, target)
    return target


main()
