"""Tokens of a provider that is only a key, which openssl uses.

    signer = Signer(directory)
    signer.keys                      # the JWK set
    signer.token(iss=..., aud=..., sub=..., exp=...)
"""
import base64
import json
import subprocess


def b64(data):
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


class Signer:
    def __init__(self, place):
        self.place, self.pem = place, place / "provider.pem"
        self.openssl("genpkey", "-algorithm", "ed25519", "-out", self.pem)
        der = self.openssl("pkey", "-in", self.pem, "-pubout", "-outform", "DER")
        self.keys = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": b64(der[-32:]), "kid": "k"}]}

    def openssl(self, *words):
        return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout

    def token(self, **claims):
        text = b64({"alg": "EdDSA", "kid": "k"}) + "." + b64(claims)
        (self.place / "text").write_text(text)
        return text + "." + b64(self.openssl("pkeyutl", "-sign", "-inkey", self.pem, "-rawin", "-in",
                                             self.place / "text"))
