"""Holds the field arithmetic of P-256 that images for 32 bits take from OpenSSL against Python's integers.

    field.py COUNT PROGRAM...            the program made of field.c, and what runs it before that
    field.py --leak PROGRAM...           has it do what is not of constant time, which is to fail
"""
import random
import subprocess
import sys

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
FROM_MONTGOMERY = pow(2**256, -1, P)
OPERATIONS = {
    "mul": lambda a, b: a * b * FROM_MONTGOMERY % P,
    "sqr": lambda a, b: a * a * FROM_MONTGOMERY % P,
    "add": lambda a, b: (a + b) % P,
    "sub": lambda a, b: (a - b) % P,
}
# Where a carry or a borrow runs through all words, or none does.
EDGES = [0, 1, 2, 2**32 - 1, 2**32, 2**64 - 1, 2**96 - 1, 2**96, 2**128 - 1, 2**192 - 1, 2**192, 2**224 - 1, 2**224, P - 1, P - 2, P // 2, P // 2 + 1,
         2**255, 2**256 % P, P - 2**256 % P, P - 2**32, P - 2**96, P - 2**192, P - 2**224 + 2**192]


def number(source):
    """Random words, among which those of ones and zeros are frequent."""
    while True:
        words = [source.choice((0, 1, 2**32 - 1, 2**32 - 2, source.getrandbits(32), source.getrandbits(32), source.getrandbits(32))) for _ in range(8)]
        found = sum(word << 32 * place for place, word in enumerate(words))
        if found < P:
            return found


def line(name, a, b):
    return f"{name} {a.to_bytes(32, 'little').hex()} {b.to_bytes(32, 'little').hex()}\n"


def check(program, count):
    source = random.Random("P-256")
    edges = EDGES if count > 1000 else EDGES[::4]
    asked = [(name, a, b) for name in OPERATIONS for a in edges for b in edges]
    asked += [(source.choice(list(OPERATIONS)), number(source), number(source)) for _ in range(count)]
    lines = "".join(line(*one) for one in asked)
    for way in ("sse2", "integers"):
        answers = subprocess.run([*program, way], input=lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE if len(program) > 1 else None, text=True, check=True).stdout.splitlines()
        wrong = [(name, hex(a), hex(b), answer) for (name, a, b), answer in zip(asked, answers, strict=True)
                 if int.from_bytes(bytes.fromhex(answer), "little") != OPERATIONS[name](a, b)]
        print(f"field arithmetic of P-256 by {way}{' under valgrind' if len(program) > 1 else ''}: {len(asked)} operations, {len(wrong)} wrong", flush=True)
        if wrong:
            sys.exit(f"the first: {wrong[0]}")


def main():
    if sys.argv[1] != "--leak":
        check(sys.argv[2:], int(sys.argv[1]))
    elif "depends on an operand" not in subprocess.run([*sys.argv[2:], "sse2"], input=line("leak", 1, 2), stderr=subprocess.PIPE, text=True).stderr:
        sys.exit("valgrind does not report a jump that depends on a secret")


if __name__ == "__main__":
    main()
