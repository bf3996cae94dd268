"""Decimals and doubles against Python's big integers, fractions and floats.

ORACLE is the program built from oracle.c. MOTET_SOAK=1 asks a million questions.
"""
import os
import random
import struct
import subprocess
import sys
import unittest
from fractions import Fraction

ORACLE = os.environ["ORACLE"]
SEED = int(os.environ.get("MOTET_SEED", "1"))
COUNT = 1_000_000 if os.environ.get("MOTET_SOAK") else 20_000
LARGEST = 2**96 - 1


def ask(questions):
    done = subprocess.run([ORACLE], input="\n".join(questions) + "\n", text=True,
                          stdout=subprocess.PIPE, check=True)
    answers = done.stdout.splitlines()
    assert len(answers) == len(questions), "one answer per question"
    return answers


def text_of(coefficient, scale):
    digits = str(abs(coefficient)).rjust(scale + 1, "0")
    sign = "-" if coefficient < 0 else ""
    return sign + (digits[:-scale] + "." + digits[-scale:] if scale else digits)


def half_even(value, scale):
    """value (a Fraction) as a coefficient with `scale` digits; round() is half to even."""
    return round(value * 10**scale)


def fitted(value, scale):
    """The model: as many fraction digits of `scale` as the coefficient holds."""
    for s in range(min(scale, 28), -1, -1):
        coefficient = half_even(value, s)
        if abs(coefficient) <= LARGEST:
            return text_of(coefficient, s)
    return "overflow"


def bounded(value, scale):
    """§13.6: rounded to `scale`, then at most 28 digits, zeros at the end not counted."""
    for s in range(scale, -1, -1):
        coefficient = half_even(value, scale)
        shorter, rest = divmod(coefficient, 10**(scale - s))
        if rest == 0 and abs(shorter) < 10**28:
            return text_of(shorter, s)
    return "overflow"


def within(value, scale):
    """As many fraction digits of `scale` as 28 digits hold."""
    for s in range(scale, -1, -1):
        if abs(half_even(value, s)) < 10**28:
            return text_of(half_even(value, s), s)
    return "overflow"


def value_of(text):
    return Fraction(text)


def scale_of(text):
    return len(text.partition(".")[2])


class Decimals:
    def __init__(self, rng):
        self.rng = rng

    def coefficient(self):
        rng = self.rng
        kind = rng.randrange(8)
        if kind == 0:
            return rng.choice([0, 1, 5, 10, 49, 50, 51, LARGEST, LARGEST - 1, 2**64, 2**64 - 1])
        if kind == 1:
            return LARGEST - rng.randrange(1000)
        if kind == 2:  # ties: digits 5 followed by zeros
            return min(LARGEST, (2 * rng.randrange(10**6) + 1) * 5 * 10 ** rng.randrange(20))
        if kind == 3:
            return 10 ** rng.randrange(29)
        return rng.getrandbits(rng.choice([8, 16, 32, 63, 64, 65, 80, 96]))

    def __call__(self):
        sign = self.rng.choice([1, -1])
        return text_of(sign * self.coefficient(), self.rng.choice([0, 2, 2, 28, self.rng.randrange(29)]))


class Oracle(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.rng = random.Random(SEED)
        print(f"seed {SEED}, {COUNT} questions", file=sys.stderr)

    def compare(self, cases):
        cases = list(cases)
        answers = ask([question for question, _ in cases])
        wrong = [(q, a, w) for (q, w), a in zip(cases, answers) if a != w]
        self.assertEqual(wrong[:5], [], f"{len(wrong)} of {len(cases)} differ (seed {SEED})")

    def decimal_cases(self):
        number = Decimals(self.rng)
        for _ in range(COUNT):
            a, b = number(), number()
            x, y, wide = value_of(a), value_of(b), max(scale_of(a), scale_of(b))
            op = self.rng.choice(["add", "sub", "mul", "cmp", "rescale", "fits", "add_to", "mul_to", "mul_within", "bounded"])
            to = self.rng.randrange(29)
            if op == "add":
                yield f"add {a} {b}", fitted(x + y, wide)
            elif op == "sub":
                yield f"sub {a} {b}", fitted(x - y, wide)
            elif op == "mul":
                yield f"mul {a} {b}", fitted(x * y, scale_of(a) + scale_of(b))
            elif op == "add_to":
                yield f"add_to {a} {b} {to}", bounded(x + y, min(to, wide))
            elif op == "mul_to":
                yield f"mul_to {a} {b} {to}", bounded(x * y, min(to, scale_of(a) + scale_of(b)))
            elif op == "mul_within":
                yield f"mul_within {a} {b} {to}", within(x * y, min(to, scale_of(a) + scale_of(b)))
            elif op == "bounded":
                yield f"bounded {a}", str(int(bounded(x, scale_of(a)) != "overflow"))
            elif op == "cmp":
                b = self.rng.choice([b, a, a + "0" if "." in a and scale_of(a) < 28
                                     and abs(int(a.replace(".", ""))) * 10 <= LARGEST else a])
                yield f"cmp {a} {b}", str((x > value_of(b)) - (x < value_of(b)))
            elif op == "rescale":
                s = self.rng.randrange(29)
                c = half_even(x, s)
                yield f"rescale {a} {s}", text_of(c, s) if abs(c) <= LARGEST else "overflow"
            else:
                s = self.rng.randrange(32)
                p = s + self.rng.randrange(-2, 32)
                unit = x * 10**s
                fits = unit.denominator == 1 and abs(unit) < Fraction(10) ** p
                if p >= 0:
                    yield f"fits {a} {p} {s}", str(int(fits))

    def test_decimal_operations_round_once_and_half_to_even(self):
        self.compare(self.decimal_cases())

    def test_decimal_texts_of_any_length_are_rounded_when_read(self):
        def cases():
            for _ in range(COUNT // 4):
                whole = str(self.rng.getrandbits(self.rng.choice([1, 20, 64, 95, 96, 97])))
                fraction = "".join(self.rng.choice("0123456789") for _ in range(self.rng.randrange(1, 40)))
                if self.rng.randrange(3) == 0:
                    fraction = fraction[:20] + "5" + "0" * self.rng.randrange(30)
                if self.rng.randrange(4) == 0:
                    whole, fraction = str(LARGEST)[:self.rng.randrange(1, 30)], str(LARGEST)[-20:]
                sign = self.rng.choice(["", "-"])
                text = f"{sign}{whole}.{fraction}"
                yield f"parse {text}", fitted(value_of(text), len(fraction))
        self.compare(cases())

    def doubles(self):
        edges = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308,
                 0.1, 0.3, 1e16, 1e15, 9999999999999998.0, 1e22, 1e23, 1e-5, 1e-6, 123456.789, 2.0**53,
                 9007199254740993.0, 4.35, 0.5, 1.5e-7]
        edges += [2.0**e for e in range(-1074, 1024)] + [float(f"1e{e}") for e in range(-323, 309)]
        for value in edges:
            yield value
        for _ in range(COUNT):
            kind = self.rng.randrange(4)
            if kind == 0:
                yield self.rng.uniform(-1000, 1000)
            elif kind == 1:
                yield round(self.rng.uniform(0, 10**self.rng.randrange(12)), self.rng.randrange(6))
            else:
                value = struct.unpack("<d", self.rng.randbytes(8))[0]
                if value == value and abs(value) != float("inf"):
                    yield value

    @staticmethod
    def bits(value):
        return struct.pack(">d", value).hex()

    @staticmethod
    def text(value):
        """repr() has the shortest digits; the layout is ours."""
        sign = "-" if struct.pack(">d", value)[0] & 0x80 else ""
        if value == 0:
            return sign + "0.0"
        mantissa, _, exponent = f"{abs(value)!r}".partition("e")
        whole, _, fraction = mantissa.partition(".")
        digits = (whole + fraction).lstrip("0")
        point = len(whole.lstrip("0")) + int(exponent or 0)
        if not whole.strip("0"):
            point -= len(fraction) - len(fraction.lstrip("0"))
        digits = digits.rstrip("0")
        if -5 < point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        if 0 < point <= 16:
            digits = digits.ljust(point, "0")
            return f"{sign}{digits[:point]}.{digits[point:] or '0'}"
        rest = "." + digits[1:] if digits[1:] else ""
        return f"{sign}{digits[0]}{rest}e{point - 1}"

    def test_doubles_print_as_their_shortest_text(self):
        self.compare((f"print {self.bits(v)}", self.text(v)) for v in self.doubles())

    def test_printed_doubles_read_back(self):
        self.compare((f"read {self.text(v)}", self.bits(v)) for v in self.doubles())

    def test_number_texts_read_as_the_nearest_double(self):
        def texts():
            yield from ["0", "-0", "1e400", "-1e400", "1e-400", "2.4703282292062327e-324",
                        "2.4703282292062328e-324", "179769313486231580793728971405301e276",
                        "1.7976931348623158e308", "1.7976931348623159e308", "9007199254740993",
                        "9007199254740993.0", "9007199254740993." + "0" * 900 + "1", "1e999999999999999999",
                        "1e-999999999999999999", "0e999999999999999999", "0." + "0" * 400 + "1e400",
                        "1" + "0" * 400 + "e-400", "123456789012345678901234567890e-10"]
            for _ in range(COUNT // 2):
                digits = self.rng.randrange(1, 30)
                mantissa = str(self.rng.randrange(10**digits))
                yield f"{mantissa}e{self.rng.randrange(-345, 310)}"
                yield f"{self.rng.randrange(1000)}.{mantissa}"
            # Midpoints of neighbours, exactly and one unit beside: the hardest texts.
            for _ in range(COUNT // 20):
                bits = self.rng.getrandbits(63) % 0x7FEFFFFFFFFFFFFF
                a, b = (struct.unpack(">d", (bits + i).to_bytes(8, "big"))[0] for i in (0, 1))
                middle = (Fraction(a) + Fraction(b)) / 2
                power = middle.denominator.bit_length() - 1
                digits = middle.numerator * 5**power
                yield f"{digits}e-{power}"
                yield f"{digits}1e-{power + 1}"
                yield f"{digits - 1}9e-{power + 1}"

        self.compare((f"read {t}", self.bits(float(t))) for t in texts())

    def test_what_is_no_number_is_refused(self):
        bad = ["01", "1.", ".5", "+1", "1e", "1e+", "-", "--1", "0x1", "1_0", "nan", "inf", "1.5f", "1,5"]
        self.compare((f"read {t}", "syntax") for t in bad)

    def test_what_is_no_decimal_is_refused(self):
        bad = ["1.", ".5", "+1", "1e5", "-", "--1", "0x1", "1.2.3", "nan", "1,5", "-.5", "1-"]
        self.compare((f"parse {t}", "syntax") for t in bad)


if __name__ == "__main__":
    unittest.main()
