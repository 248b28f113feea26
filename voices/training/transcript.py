"""What the recognizer should hear: the phones of its dictionary as a chain of states, and when each was spoken."""
import re

import numpy as np

from acoustics import RECOGNIZER

SILENCE = "SIL"
STATES = 3  # of a phone
UNLIKE_MAX = 0.1  # of the phones may be others than the teacher's


def read_dictionary():
    """{word: [its phones, one way to say it after the other]}"""
    found = {}
    with open(f"{RECOGNIZER}/cmudict-en-us.dict", encoding="utf-8") as lines:
        for line in lines:
            word, *phones = line.split()
            found.setdefault(re.sub(r"\(\d+\)$", "", word), []).append(tuple(phones))
    return found


def transcribe(text, spoken, dictionary):
    """[(may a pause come before it, its phones)] of each word, said as the teacher said it.

    spoken: the teacher's phones. None where a word isn't in the dictionary, or the teacher said something else.
    """
    text = text.lower().replace("’", "'")
    found = list(re.finditer(r"[a-z]+(?:'[a-z]+)*", text))
    words = [match.group() for match in found]
    if not words or re.search(r"\d", text) or any(word not in dictionary for word in words):
        return None
    gaps = [text[before.end() : after.start()] for before, after in zip(found, found[1:])]
    pauses = [True, *(re.search(r"[^a-z' -]", gap) is not None for gap in gaps)]
    spoken = ["AH" if phone == "ax" else phone.upper() for phone in spoken if phone != "pau"]
    said, unlike = said_as(words, spoken, dictionary)
    return list(zip(pauses, said)) if unlike <= UNLIKE_MAX * len(spoken) else None


def said_as(words, spoken, dictionary):
    """Of all ways to say the words the one with the fewest phones other than the spoken ones, and how many those are."""
    costs = list(range(len(spoken) + 1))  # of the words so far, against the first spoken phones
    said = [()] * len(costs)
    for word in words:
        rows = [with_phones(costs, variant, spoken) for variant in dictionary[word]]
        ways = [min((row[j] + (k,) for k, row in enumerate(rows)), key=lambda way: way[0]) for j in range(len(costs))]
        said = [(*said[origin], dictionary[word][k]) for _, origin, k in ways]
        costs = [cost for cost, _, _ in ways]
    return said[-1], costs[-1]


def with_phones(costs, phones, spoken):
    """[(cost, where among the spoken phones the word began)]"""
    row = [(cost, j) for j, cost in enumerate(costs)]
    for phone in phones:
        following = [(row[0][0] + 1, row[0][1])]
        for j in range(1, len(row)):
            ways = [
                (row[j - 1][0] + (phone != spoken[j - 1]), row[j - 1][1]),
                (row[j][0] + 1, row[j][1]),
                (following[j - 1][0] + 1, following[j - 1][1]),
            ]
            following.append(min(ways))
        row = following
    return row


class Chain:
    """
    states: senones of the phones, three a phone [3 * phones]
    silent: which of the phones are silences; they may be left out
    """

    def __init__(self, transcript, model):
        units = []  # phone, place in the word: begin, inside, end, single
        for pause, phones in transcript:
            if pause:
                units.append((SILENCE, "-"))
            places = "s" if len(phones) == 1 else "b" + "i" * (len(phones) - 2) + "e"
            units += zip(phones, places)
        units.append((SILENCE, "-"))
        phones = [phone for phone, _ in units]
        contexts = zip([SILENCE, *phones], units, [*phones[1:], SILENCE])
        self.states = np.concatenate([senones_of(model, *unit, left, right) for left, unit, right in contexts])
        self.silent = np.array([phone == SILENCE for phone in phones])

    def align(self, scores):
        """When each phone was spoken: of scores [T, senones], the likeliest place among the states of each frame [T]"""
        scores = scores[:, self.states]
        count = len(self.states)
        may_jump = np.zeros(count, bool)
        may_jump[2 * STATES :: STATES] = self.silent[1:-1]  # to a phone from the one before the silence before it
        best = np.full(count, -np.inf)
        best[[0, STATES]] = scores[0, [0, STATES]]
        came_from = np.zeros((len(scores), count), int)
        for t in range(1, len(scores)):
            next_state = np.r_[-np.inf, best[:-1]]
            over_silence = np.where(may_jump, np.r_[np.full(STATES + 1, -np.inf), best[: -STATES - 1]], -np.inf)
            ways = np.stack([best, next_state, over_silence])
            came_from[t] = np.array([0, 1, STATES + 1])[ways.argmax(0)]
            best = ways.max(0) + scores[t]
        # A silence at the end may be left out, too.
        place = max(count - 1, count - 1 - STATES, key=lambda k: best[k])
        places = []
        for t in range(len(scores) - 1, -1, -1):
            places.append(place)
            place -= came_from[t, place]
        return np.array(places[::-1])


def senones_of(model, phone, place, left, right):
    """Those of the phone in this context, or else elsewhere in a word, or else in any."""
    keys = [*((phone, left, right, other) for other in (place, *"iebs")), (phone, "-", "-", "-")]
    return next(model.states_of[key] for key in keys if key in model.states_of)
