"""espeak-ng's phonemes → tokens of Kokoro-82M, each with the phonemes that it stands for."""

# the teacher's vocabulary, without languages that Lectern's voices do not have
TOKENS = {symbol: number for number, symbol in zip(
    [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 31, 33, 35, 36, 39, 41, 42, 43, 44, 45, 46, 47,
     48, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 75, 76, 77, 78, 80, 81, 82, 83,
     85, 86, 87, 90, 92, 99, 101, 102, 103, 110, 111, 112, 113, 114, 115, 116, 118, 119, 120, 123, 125, 126, 128, 129, 130, 131, 132,
     133, 135, 136, 138, 139, 140, 142, 143, 147, 148, 156, 157, 158, 162, 164, 169, 171, 172, 173, 177],
    [";", ":", ",", ".", "!", "?", "—", "…", '"', "(", ")", "“", "”", " ", "\u0303", "ʣ", "ʥ", "ʦ", "ʨ", "ᵝ", "A", "I", "O", "Q", "S",
     "T", "W", "Y", "ᵊ", "a", "b", "c", "d", "e", "f", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w",
     "x", "y", "z", "ɑ", "ɐ", "ɒ", "æ", "β", "ɔ", "ɕ", "ç", "ɖ", "ð", "ʤ", "ə", "ɚ", "ɛ", "ɜ", "ɟ", "ɡ", "ɥ", "ɨ", "ɪ", "ʝ", "ɯ", "ɰ",
     "ŋ", "ɳ", "ɲ", "ɴ", "ø", "ɸ", "θ", "œ", "ɹ", "ɾ", "ɻ", "ʁ", "ɽ", "ʂ", "ʃ", "ʈ", "ʧ", "ʊ", "ʋ", "ʌ", "ɣ", "ɤ", "χ", "ʎ", "ʒ", "ʔ",
     "ˈ", "ˌ", "ː", "ʰ", "ʲ", "↓", "→", "↗", "↘", "ᵻ"])}

SYLLABIC = "\u0329"
AFFRICATES = {"dʒ": "ʤ", "tʃ": "ʧ"}
DIPHTHONGS = {"aɪ": "I", "aʊ": "W", "eɪ": "A", "oʊ": "O", "ɔɪ": "Y"}
# American English: the teacher learned a notation of its own, without length marks, with T for the flap
ENGLISH = {"ɚ": "əɹ", "ɐ": "ə", "r": "ɹ", "x": "k", "ç": "k", "ɬ": "l", "ɾ": "T", "ʔ": "t", "ː": "", "o": "ɔ", "\u0303": "", SYLLABIC: "",
           "-": "", "'": "", "ʲ": ""}
# French and Spanish: espeak-ng's symbols, with affricates (and in Spanish diphthongs) joined
OTHERS = {"g": "ɡ", "-": "", "'": ""}
PAIRS = {"en": {**AFFRICATES, **DIPHTHONGS}, "fr": {**AFFRICATES, "ts": "ʦ", "dz": "ʣ"},
         "es": {**AFFRICATES, "ts": "ʦ", "dz": "ʣ", **DIPHTHONGS}}


def english_groups(symbols):
    i = 0
    while i < len(symbols):
        pair = "".join(symbols[i:i + 2])
        if pair in PAIRS["en"]:
            yield PAIRS["en"][pair], 2
            i += 2
        elif pair == "ɜː":                    # "bird": the r has the time of the length mark, unless espeak-ng writes one
            yield "ɜ", 1
            yield "" if symbols[i + 2:i + 3] == ["ɹ"] else "ɹ", 1
            i += 2
        elif pair.endswith(SYLLABIC):
            yield "ᵊ" + symbols[i], 2
            i += 2
        else:
            yield ENGLISH.get(symbols[i], symbols[i]), 1
            i += 1


def other_groups(symbols, pairs):
    i = 0
    while i < len(symbols):
        pair = "".join(symbols[i:i + 2])
        size = 2 if pair in pairs else 1
        yield pairs[pair] if size == 2 else OTHERS.get(symbols[i], symbols[i]), size
        i += size


def tokenize(symbols, language):
    """Phonemes of a sentence → [(tokens, number of the phonemes that they stand for)]. Unknown symbols have no token."""
    groups = english_groups(symbols) if language == "en" else other_groups(symbols, PAIRS[language])
    return [([TOKENS[c] for c in text if c in TOKENS], size) for text, size in groups]


def symbol_frames(token_frames, groups):
    """Frames of the tokens, silence at both ends included → frames of the symbols. A pair shares its time 3 : 2."""
    frames, at = [int(token_frames[0])], 1
    for tokens, size in groups:
        total = int(sum(token_frames[at:at + len(tokens)]))
        at += len(tokens)
        first = round(total * 0.6)
        frames += [total] if size == 1 else [first, total - first]
    return [*frames, int(token_frames[-1])]
