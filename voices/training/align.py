"""Which espeak symbol the teacher spoke when: an alignment of phonemes with Flite's phones."""
import struct

import numpy as np

FRAME_S = 0.005
PUNCTUATION = set(',.;:?!-()"—…')
MARKS = set("ˈˌːˑ_ ")
LEADING, TRAILING, PAUSE_MAX = 8, 24, 60  # frames kept of silences

# What Flite calls a phone, and the symbols espeak may write for it, with the cost of taking one for the other.
SYMBOLS_OF = {
    "aa": {"ɑ": 0, "ɔ": 0.2, "a": 0.2, "ɒ": 0.1, "ʌ": 0.4, "ɐ": 0.4, "o": 0.4},
    "ae": {"æ": 0, "ɛ": 0.3, "a": 0.3, "ɐ": 0.3, "ə": 0.4},
    "ah": {"ʌ": 0, "ɐ": 0.1, "ə": 0.1, "ɑ": 0.4, "ɔ": 0.4, "ʊ": 0.4, "ɪ": 0.4, "ᵻ": 0.3},
    "ao": {"ɔ": 0, "o": 0.1, "ɑ": 0.1, "ɒ": 0.1, "ʊ": 0.4, "ɚ": 0.5},
    "ax": {"ə": 0, "ɐ": 0, "ᵻ": 0.1, "ʌ": 0.1, "ɪ": 0.2, "i": 0.4, "ɑ": 0.4, "æ": 0.4, "ɛ": 0.4, "o": 0.4, "ɔ": 0.4, "ʊ": 0.3, "u": 0.4, "ɚ": 0.5},
    "eh": {"ɛ": 0, "e": 0.2, "æ": 0.3, "ɪ": 0.4, "ə": 0.4, "ᵻ": 0.4, "i": 0.5},
    "er": {"ɜ": 0, "ɚ": 0, "ɝ": 0, "ə": 0.5, "ɹ": 0.5},
    "ih": {"ɪ": 0, "ᵻ": 0, "i": 0.2, "ə": 0.2, "ɐ": 0.3, "ɛ": 0.3},
    "iy": {"i": 0, "ɪ": 0.2, "ᵻ": 0.2, "ə": 0.5, "ɛ": 0.5, "j": 0.5},
    "uh": {"ʊ": 0, "u": 0.2, "ʌ": 0.4, "ə": 0.4},
    "uw": {"u": 0, "ʊ": 0.2, "ə": 0.5, "o": 0.5},
    "ow": {"o": 0.2, "ɔ": 0.4, "ə": 0.5, "ɑ": 0.5},
    "ey": {"e": 0.2, "ɛ": 0.4, "æ": 0.4, "ə": 0.5},
    "ay": {"a": 0.3, "ɪ": 0.5, "i": 0.5},
    "aw": {"a": 0.3},
    "oy": {"ɔ": 0.3},
    "b": {"b": 0},
    "ch": {"ʃ": 0.4, "t": 0.5, "k": 0.6},
    "d": {"d": 0, "ɾ": 0.05, "t": 0.4, "ð": 0.5},
    "dh": {"ð": 0, "θ": 0.3, "d": 0.5},
    "f": {"f": 0, "v": 0.4},
    "g": {"ɡ": 0, "g": 0, "k": 0.4},
    "hh": {"h": 0},
    "jh": {"ʒ": 0.3, "d": 0.5, "ɡ": 0.6, "j": 0.6},
    "k": {"k": 0, "x": 0.2, "ɡ": 0.4},
    "l": {"l": 0, "ɫ": 0},
    "m": {"m": 0},
    "n": {"n": 0, "ŋ": 0.3},
    "ng": {"ŋ": 0, "n": 0.3},
    "p": {"p": 0},
    "r": {"ɹ": 0, "r": 0, "ɾ": 0.5, "ɚ": 0.5},
    "s": {"s": 0, "z": 0.3, "ʃ": 0.5},
    "sh": {"ʃ": 0, "s": 0.5, "ʒ": 0.3},
    "t": {"t": 0, "ɾ": 0.05, "ʔ": 0.05, "d": 0.4, "θ": 0.5},
    "th": {"θ": 0, "ð": 0.3, "t": 0.5},
    "v": {"v": 0, "f": 0.4, "w": 0.5},
    "w": {"w": 0, "v": 0.5, "u": 0.5},
    "y": {"j": 0, "i": 0.4},
    "z": {"z": 0, "s": 0.3},
    "zh": {"ʒ": 0, "ʃ": 0.3, "z": 0.5},
}
# Two symbols for one phone, and one symbol for two phones.
TWO_SYMBOLS = {
    ("aɪ", "ay"): 0, ("aʊ", "aw"): 0, ("ɔɪ", "oy"): 0, ("eɪ", "ey"): 0, ("oʊ", "ow"): 0, ("tʃ", "ch"): 0, ("dʒ", "jh"): 0,
    ("ɜɹ", "er"): 0.1, ("əɹ", "er"): 0.1, ("ʊɹ", "er"): 0.3, ("ɚɹ", "er"): 0.1, ("ʌɹ", "er"): 0.2, ("iə", "iy"): 0.4,
    ("əʊ", "ow"): 0.2, ("ɪɹ", "er"): 0.4, ("ɛɹ", "er"): 0.4, ("ɑɹ", "er"): 0.5, ("ɔɹ", "er"): 0.5, ("ju", "uw"): 0.3,
    ("oɹ", "er"): 0.5, ("aɪ", "iy"): 0.6, ("aɪ", "ih"): 0.7, ("eɪ", "ae"): 0.7, ("eɪ", "eh"): 0.6, ("oʊ", "ax"): 0.6,
    ("oʊ", "aa"): 0.6, ("oʊ", "ao"): 0.6, ("eɪ", "ax"): 0.7, ("aʊ", "ow"): 0.6, ("əl", "l"): 0.2, ("ən", "n"): 0.2,
}
TWO_PHONES = {
    ("ɚ", ("ax", "r")): 0.1, ("ɚ", ("er", "r")): 0.2, ("ɜ", ("er", "r")): 0.2, ("ɜ", ("ax", "r")): 0.3, ("ɜ", ("ih", "r")): 0.4,
    ("ɜ", ("uh", "r")): 0.3, ("ɚ", ("eh", "r")): 0.3, ("ɚ", ("uh", "r")): 0.3, ("ɚ", ("ao", "r")): 0.4, ("ɚ", ("aa", "r")): 0.4,
    ("n̩", ("ax", "n")): 0.0, ("ŋ", ("n", "g")): 0.5, ("ŋ", ("ng", "g")): 0.3, ("z", ("s", "ax")): 1,
}
# Where one phone is cut for its two symbols.
SPLIT_AT = {"aɪ": 0.55, "aʊ": 0.55, "ɔɪ": 0.5, "eɪ": 0.5, "oʊ": 0.5, "tʃ": 0.45, "dʒ": 0.45}
VOWELS = set("aɑæɐəɛɜɚɝeiɪᵻoɔɒʊuʌ")
VOWEL_PHONES = set("aa ae ah ao aw ax ay eh er ey ih iy ow oy uh uw".split())
SYLLABIC = "̩"
SKIP, SKIP_PUNCTUATION, SKIP_PAUSE, UNLIKE, NEVER = 1.0, 0.05, 0.4, 2.5, 3.0


def read_teacher(path):
    """Yields (id, phones [(name, end in s)], frames [n, 1 + 25 + 5]) as teacher.c wrote them."""
    with open(path, "rb") as file:
        while header := file.read(24):
            magic, sentence, phone_count, frame_count, channels, strengths = struct.unpack("<6i", header)
            if magic != 0x544D5031:
                raise ValueError(f"{path} is no dump of the teacher")
            phones = []
            for _ in range(phone_count):
                name, end = struct.unpack("<8sf8x", file.read(20))
                phones.append((name.rstrip(b"\0").decode(), end))
            width = channels + strengths
            frames = np.frombuffer(file.read(frame_count * width * 4), "<f4").reshape(frame_count, width)
            yield sentence, phones, frames


def cost_of(symbol, phone):
    if phone == "pau":
        return 0.0 if symbol in PUNCTUATION else NEVER
    if symbol in PUNCTUATION:
        return NEVER
    known = SYMBOLS_OF[phone].get(symbol)
    if known is not None:
        return known
    return 0.8 if (symbol in VOWELS) == (phone in VOWEL_PHONES) else UNLIKE


def align(symbols, phones):
    """The cheapest path [(symbol from, to, phone from, to)] and its cost; (None, inf) when there is none."""
    n, m = len(symbols), len(phones)
    best = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    back = [[None] * (m + 1) for _ in range(n + 1)]
    best[0][0] = 0.0
    band = max(8, int(0.12 * max(n, m)) + abs(n - m) // 2)

    def step(i, j, di, dj, cost):
        if cost < best[i + di][j + dj]:
            best[i + di][j + dj] = cost
            back[i + di][j + dj] = (di, dj)

    for i in range(n + 1):
        centre = int(i * m / max(n, 1))
        for j in range(max(0, centre - band), min(m, centre + band) + 1):
            here = best[i][j]
            if here == float("inf"):
                continue
            if i < n:
                step(i, j, 1, 0, here + (SKIP_PUNCTUATION if symbols[i] in PUNCTUATION else SKIP))
            if j < m:
                step(i, j, 0, 1, here + (SKIP_PAUSE if phones[j] == "pau" else SKIP))
            if i < n and j < m:
                step(i, j, 1, 1, here + cost_of(symbols[i], phones[j]))
                if i + 1 < n and (cost := TWO_SYMBOLS.get((symbols[i] + symbols[i + 1], phones[j]))) is not None:
                    step(i, j, 2, 1, here + cost)
                if j + 1 < m and (cost := TWO_PHONES.get((symbols[i], (phones[j], phones[j + 1])))) is not None:
                    step(i, j, 1, 2, here + cost)
    if best[n][m] == float("inf"):
        return None, best[n][m]
    i, j, path = n, m, []
    while i or j:
        di, dj = back[i][j]
        path.append((i - di, i, j - dj, j))
        i, j = i - di, j - dj
    return path[::-1], best[n][m]


def spoken_symbols(phonemes):
    """The symbols that sound or make pauses, and the place of each among the ids (start, pad, symbol, pad, ..., end)."""
    symbols, places = [], []
    for index, symbol in enumerate(phonemes):
        if symbol == SYLLABIC and symbols:
            symbols[-1] += symbol
        elif symbol not in MARKS:
            symbols.append(symbol)
            places.append(2 + 2 * index)
    return symbols, places


def durations(ids, phonemes, phones, frame_count):
    """For each id its frames, and which frames of the teacher they are.

    Marks, pads and gaps between words get none; the start id takes the leading and the end id the trailing silence,
    both shortened. None where the two pronunciations differ too much to learn from.
    """
    if len(ids) != 2 * len(phonemes) + 3:
        return None
    symbols, places = spoken_symbols(phonemes)
    names = [name for name, _ in phones]
    ends = [min(frame_count, round(end / FRAME_S)) for _, end in phones]
    starts = [0, *ends[:-1]]
    first = 1 if names and names[0] == "pau" else 0
    last = len(names) - (1 if names and names[-1] == "pau" else 0)
    sounding = names[first:last]
    while symbols and symbols[-1] in PUNCTUATION:
        symbols.pop()
        places.pop()
    if not sounding or not symbols:
        return None
    path, cost = align(symbols, sounding)
    if path is None or cost > 0.13 * len(sounding) + 0.3:
        return None

    segments = []  # (first frame, end, place among the ids)
    if first:
        segments.append((max(0, ends[0] - LEADING), ends[0], 0))
    for s0, s1, p0, p1 in path:
        if p0 == p1:
            continue
        start, end = starts[first + p0], ends[first + p1 - 1]
        if names[first + p0] == "pau":
            if s0 == s1:
                return None  # a pause that nothing in the text tells of
            if end - start > PAUSE_MAX:
                segments.append((start, start + PAUSE_MAX // 2, places[s0]))
                start = end - PAUSE_MAX // 2
            segments.append((start, end, places[s0]))
        elif s0 == s1:
            segments.append((start, end, segments[-1][2] if segments and segments[-1][2] else places[min(s0, len(places) - 1)]))
        elif s1 - s0 == 2:
            middle = start + round((end - start) * SPLIT_AT.get(symbols[s0] + symbols[s0 + 1], 0.5))
            segments += [(start, middle, places[s0]), (middle, end, places[s0 + 1])]
        else:
            segments.append((start, end, places[s0]))
    if last < len(names):
        segments.append((starts[-1], min(frame_count, starts[-1] + TRAILING, ends[-1]), len(ids) - 1))
    if any(a[2] > b[2] for a, b in zip(segments, segments[1:])):
        return None

    counts = np.zeros(len(ids), np.float32)
    for start, end, place in segments:
        counts[place] += max(0, end - start)
    frames = np.concatenate([np.arange(start, end) for start, end, _ in segments if end > start])
    share_with_silent(counts, symbols, places)
    return counts, frames


def share_with_silent(counts, symbols, places):
    """A symbol that the teacher did not say takes a quarter of its longest neighbour."""
    for place, symbol in zip(places, symbols):
        if counts[place] or symbol in PUNCTUATION:
            continue
        near = [other for other in places if other != place and abs(other - place) <= 6]
        longest = max(near, key=lambda other: counts[other], default=None)
        if longest is not None and counts[longest] >= 6:
            taken = counts[longest] // 4
            counts[longest] -= taken
            counts[place] += taken
