"""German phonemes of espeak-ng: ids of their own in the model, and the phones that are aligned with recordings.

German has embeddings of its own, in ids that the other voices never get, so that training it changes no other voice. They start as
those of the nearest phoneme that the model knows.
"""
import json
import os

LANGUAGE = "de"
FIRST_ID = 166                        # after the ids of symbols.json
SYMBOLS = [" ", "ˈ", "ˌ", "ː", ",", ".", *"abcdefhijklmnoprstuvxyzøŋœɑɔəɛɜɡɪɾʃʊʒ", "\u0327"]
# espeak-ng has no IPA for a short u before r and prints this
PHONEME_MAP = {"??": ["ʊ", "ɾ"]}
# untrained symbols and those with another sound in German; c with a cedilla is ç
NEAREST = {"c": "ʃ", "x": "x", "r": "ʁ", "ɾ": "ʁ", "ɜ": "ɐ", "\u0327": "ː", "a": "a", "h": "h"}

PAUSE = "pause"
VOWELS = set("aeiouyøœɑɔəɛɜɪʊɐɒʌæ")
MARKS = set("ˈˌː\u0327\u0303ʲ\u0329")
SPACES = set(" ,.;:!?-–—…\"'()")


def read_symbols():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "symbols.json"), encoding="utf-8") as file:
        return json.load(file)


def symbol_ids():
    """The table of the German voice: symbols.json with ids of its own for the German symbols."""
    return {**read_symbols(), **{symbol: [FIRST_ID + number] for number, symbol in enumerate(SYMBOLS)}}


def nearest_ids():
    """German id → id of the trained symbol that it starts from."""
    shared = read_symbols()
    return {FIRST_ID + number: shared[NEAREST.get(symbol, symbol)][0] for number, symbol in enumerate(SYMBOLS)}


def phones(symbols):
    """Symbols → [(phone, first symbol, symbols)]: a phoneme with its marks, or the pause of a space and punctuation.

    A phone's stress mark stands before it, length and diacritics stand after it. r is vocalic after a vowel unless one follows."""
    found, at = [], 0
    while at < len(symbols):
        begin = at
        if symbols[at] in SPACES:
            while at < len(symbols) and symbols[at] in SPACES:
                at += 1
            found.append((PAUSE, begin, at - begin))
            continue
        while at < len(symbols) and symbols[at] in "ˈˌ":
            at += 1
        if at == len(symbols):
            break
        name = symbols[at]
        at += 1
        while at < len(symbols) and symbols[at] in MARKS - set("ˈˌ"):
            name += symbols[at] if symbols[at] != "ʲ" else ""
            at += 1
        found.append((name, begin, at - begin))
    names = [name for name, _, _ in found] + [PAUSE]
    vocalic = lambda i: names[i] in ("r", "ɾ") and i > 0 and names[i - 1][0] in VOWELS and names[i + 1][0] not in VOWELS
    return [("R" if vocalic(i) else "r" if name in ("r", "ɾ") else name, begin, size) for i, (name, begin, size) in enumerate(found)]
