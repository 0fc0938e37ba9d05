"""Holds AWS-LC against Wycheproof's vectors for what the sidecar uses of it.

    vectors.py PROGRAM DIRECTORY     the program made of vectors.c, and the folder of the vectors

A vector is "valid", "invalid" or "acceptable". Of the last kind either answer is right, but a result must be the expected one.
"""
import json
import subprocess
import sys
from pathlib import Path

# How many vectors there must be at least, so that a renamed file is no success.
LEAST = 5000
SIGNATURES = ["ecdsa_secp256r1_sha256", "ecdsa_secp256r1_sha512", "ecdsa_secp384r1_sha384", "ecdsa_secp521r1_sha512", "ed25519",
              "rsa_signature_2048_sha256", "rsa_signature_2048_sha384", "rsa_signature_2048_sha512", "rsa_signature_3072_sha256", "rsa_signature_4096_sha256",
              "rsa_signature_4096_sha384", "rsa_signature_4096_sha512", "rsa_pss_2048_sha256_mgf1_32", "rsa_pss_3072_sha256_mgf1_32",
              "rsa_pss_4096_sha256_mgf1_32", "rsa_pss_4096_sha384_mgf1_48", "rsa_pss_4096_sha512_mgf1_64"]
# Keys with the parameters of a known curve, but without its cofactor, which RFC 3279 2.3.5 requires: AWS-LC takes the cofactor to be 1, as it is for each
# of these curves, and finds the right secret.
TOLERATED = {("ecdh_secp256r1", "no cofactor"), ("ecdh_secp384r1", "no cofactor"), ("ecdh_secp521r1", "no cofactor")}
CURVES = {"secp256r1": "prime256v1", "secp384r1": "secp384r1", "secp521r1": "secp521r1"}


def hexadecimal(text):
    return text or "-"


def signature(group, test):
    digest = group.get("sha", "-").replace("-", "").lower() if "sha" in group else "-"
    words = ["verify", group["publicKeyDer"], digest, hexadecimal(test["msg"]), hexadecimal(test["sig"])]
    if "mgfSha" in group:
        words += [group["mgfSha"].replace("-", "").lower(), str(group["sLen"])]
    return words, ""


def agreement(kind):
    def question(group, test):
        # a number may have a leading zero octet for its sign
        return [kind, CURVES[group["curve"]], hexadecimal(test["public"]), hexadecimal(test["private"])], test["shared"]
    return question


def x25519(group, test):
    return ["x25519", test["public"], test["private"]], test["shared"]


def aead(name):
    def question(group, test):
        full = name if name else f"aes-{group['keySize']}-gcm"
        return ["aead", full, test["key"], hexadecimal(test["iv"]), hexadecimal(test["aad"]), hexadecimal(test["ct"] + test["tag"])], test["msg"]
    return question


def hkdf(digest):
    return lambda group, test: (["hkdf", digest, hexadecimal(test["ikm"]), hexadecimal(test["salt"]), hexadecimal(test["info"]), str(test["size"])], test["okm"])


def hmac(digest):
    return lambda group, test: (["hmac", digest, hexadecimal(test["key"]), hexadecimal(test["msg"])], test["tag"])


def files():
    for name in SIGNATURES:
        yield name, signature
    for curve in CURVES:
        yield f"ecdh_{curve}_ecpoint", agreement("ecdh-point")
        yield f"ecdh_{curve}", agreement("ecdh-key")
    yield "x25519", x25519
    yield "aes_gcm", aead("")
    yield "chacha20_poly1305", aead("chacha20-poly1305")
    for digest in ("sha256", "sha384"):
        yield f"hkdf_{digest}", hkdf(digest)
        yield f"hmac_{digest}", hmac(digest)


def is_right(test, kind, expected, answer):
    word, _, result = answer.partition(" ")
    result = "" if result == "-" else result
    if kind == "hmac":
        # codes may be shorter than what the program prints
        return result.startswith(expected) == (test["result"] == "valid")
    if test["result"] == "invalid":
        return word == "no" or (expected != "" and kind != "aead" and result != expected)
    # ours may refuse what is only acceptable
    if word == "no":
        return test["result"] == "acceptable"
    return result == expected


def main():
    program, directory = sys.argv[1], Path(sys.argv[2])
    asked, wrong = 0, []
    for name, question in files():
        vectors = json.loads((directory / f"{name}_test.json").read_text())
        tests = [(group, test) for group in vectors["testGroups"] for test in group["tests"]]
        asked_here = [(test, *question(group, test)) for group, test in tests]
        lines = "".join(" ".join(words) + "\n" for _, words, _ in asked_here)
        answers = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
        if len(answers) != len(tests):
            sys.exit(f"{name}: {len(answers)} answers to {len(tests)} questions")
        asked += len(tests)
        wrong += [f"{name} {test['tcId']} ({test['result']}, {test['comment']}): {answer[:60]}"
                  for (test, words, expected), answer in zip(asked_here, answers)
                  if not is_right(test, words[0], expected, answer) and not ((name, test["comment"]) in TOLERATED and answer == f"ok {expected}")]
    print(f"Wycheproof: {asked} vectors, {len(wrong)} wrong")
    for line in wrong[:40]:
        print("  " + line)
    if wrong or asked < LEAST:
        sys.exit(1)


if __name__ == "__main__":
    main()
