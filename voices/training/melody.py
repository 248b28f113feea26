"""Melody and rhythm that follow the sentence, laid over the teacher's own.

Flite says a list, a question and the end of a sentence nearly alike: its pitch varies about half as much as a
newsreader's, and every syllable lasts as long as its sounds do anywhere. What is added here depends on nothing but the
phonemes (stress marks, punctuation) and their durations, so that the student can learn it from what it will be fed.

After the intonation of American English as Pierrehumbert (1980) and Ladd (2008) describe it: accents on stressed
syllables, each a little lower than the one before; a rise where the phrase goes on; low at the end of a statement and of
a question with a question word; high at the end of a question that is answered by yes or no.
"""
from typing import NamedTuple

import numpy as np

SEMITONE = np.log(2) / 12
FRAMES_PER_S = 200

class Style(NamedTuple):
    """What a teacher lacks, in semitones."""

    pitch_scale: float  # of the teacher's own movement
    declination: float  # above the mean at the start of a sentence, below it at its end
    final_fall: float
    mean: float  # what all of it adds to the mean of a sentence, taken off again


STYLES = {
    # Falls well by itself.
    "rms": Style(pitch_scale=1.0, declination=0.2, final_fall=0.4, mean=0.7),
    # Says everything nearly on one note.
    "slt": Style(pitch_scale=1.25, declination=0.7, final_fall=2.6, mean=0.35),
}
RESET = 0.5  # the same for a phrase between two commas
ACCENT_FIRST, ACCENT, ACCENT_LAST = 1.8, 1.2, 1.8
ACCENT_CROWDED = 0.5  # so soon after another that both can't stand out
ACCENT_QUESTION_WORD = 2.6
EXCLAIMED = 1.3  # how much larger everything is before "!"
CONTINUATION_RISE = 2.2
QUESTION_TOP = 6.5  # above the speaker's mean

CROWDED_S, ACCENT_RISE_S, ACCENT_FALL_S, BOUNDARY_S = 0.22, 0.13, 0.17, 0.2

LENGTHEN_FINAL, LENGTHEN_PHRASE, LENGTHEN_ACCENT, SHORTEN_WEAK, LENGTHEN_TITLE = 1.18, 1.12, 1.06, 0.96, 1.1
TITLE_SYMBOLS_MAX = 16

CLOSING = set(",;:—()…")
ENDING = set(".?!")
PUNCTUATION = CLOSING | ENDING | set('"-')
WEAK_VOWELS = set("əɐᵻ")
VOWELS = set("aɑæɐəɛɜɚɝeiɪᵻoɔɒʊuʌ")
SILENT = set("ˈˌːˑ_ ̩") | PUNCTUATION
QUESTION_WORDS = set("who what where when why how which whose whom".split())


class Phrase:
    """A stretch between two signs: where it lies among the phonemes, what closes it, where its accents are."""

    def __init__(self, first, end, closed_by, phonemes):
        self.closed_by = closed_by
        self.sounding = [k for k in range(first, end) if phonemes[k] not in SILENT]
        self.accents = [vowel_after(phonemes, k) for k in range(first, end) if phonemes[k] == "ˈ"]
        vowels = [k for k in self.sounding if phonemes[k] in VOWELS]
        # The rime of the last syllable: a diphthong is two vowels side by side.
        rime = vowels[-1] if vowels else None
        if rime is not None and rime - 1 in vowels:
            rime -= 1
        self.rime = [] if rime is None else [k for k in self.sounding if k >= rime]


def vowel_after(phonemes, place):
    return next((k for k in range(place + 1, len(phonemes)) if phonemes[k] in VOWELS), place)


def phrases_of(phonemes):
    phrases, first = [], 0
    for k, symbol in enumerate([*phonemes, "."]):
        if symbol in CLOSING or symbol in ENDING:
            phrase = Phrase(first, k, symbol, phonemes)
            if phrase.sounding:
                phrases.append(phrase)
            elif phrases and symbol in ENDING and k < len(phonemes):
                phrases[-1].closed_by = symbol
            first = k + 1
    return phrases


def place_of(phoneme):
    """Of a phoneme among the ids: start, pad, phoneme, pad, ..."""
    return 2 + 2 * phoneme


def asks_yes_or_no(text):
    words = text.lower().strip("\"'( ").split()
    return text.rstrip("\"' )").endswith("?") and bool(words) and words[0].strip("\"'(,?") not in QUESTION_WORDS


# ---------------------------------------------------------------- rhythm


def with_rhythm(phonemes, counts, frames):
    """Longer at ends and on accents, shorter where nothing is stressed. Returns new counts and frames."""
    factors = np.ones(len(counts))
    phrases = phrases_of(phonemes)
    for phrase in phrases:
        is_last = phrase is phrases[-1]
        for k in phrase.rime:
            factors[place_of(k)] *= LENGTHEN_FINAL if is_last else LENGTHEN_PHRASE
        for k in phrase.accents:
            factors[place_of(k)] *= LENGTHEN_ACCENT
    sounding = [k for phrase in phrases for k in phrase.sounding]
    for k in sounding:
        place = place_of(k)
        if phonemes[k] in WEAK_VOWELS and factors[place] == 1:
            factors[place] = SHORTEN_WEAK
        if len(sounding) <= TITLE_SYMBOLS_MAX:
            factors[place] *= LENGTHEN_TITLE
    wanted = np.where(counts > 0, np.maximum(1, np.round(counts * factors)), 0).astype(np.float32)
    return wanted, stretched(frames, counts, wanted)


def stretched(frames, counts, wanted):
    """Each symbol's frames read as slowly as it lasts longer: values between two frames, but the pitch of the nearest."""
    starts = np.cumsum(counts) - counts
    at = np.concatenate(
        [
            start + (np.arange(int(new)) + 0.5) * (old / new) - 0.5
            for start, old, new in zip(starts, counts, wanted)
            if new > 0
        ]
    )
    at = np.clip(at, 0, len(frames) - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, len(frames) - 1)
    share = (at - low)[:, None]
    between = frames[low] * (1 - share) + frames[high] * share
    between[:, 0] = frames[np.round(at).astype(int), 0]
    return between.astype(np.float32)


# ---------------------------------------------------------------- melody


def bump(frame_count, peak, height):
    """An accent: up to its peak, and down again."""
    from_peak = np.arange(frame_count) - peak
    width = np.where(from_peak < 0, ACCENT_RISE_S, ACCENT_FALL_S) * FRAMES_PER_S
    return height * 0.5 * (1 + np.cos(np.pi * np.clip(from_peak / width, -1, 1)))


def contour(text, phonemes, counts, style):
    """Semitones to add to the pitch of each frame."""
    counts = counts.astype(int)
    frame_count = int(counts.sum())
    starts = np.cumsum(counts) - counts
    begin = lambda k: int(starts[place_of(k)])
    length = lambda k: int(counts[place_of(k)])
    phrases = phrases_of(phonemes)
    added = np.zeros(frame_count)
    if not phrases:
        return added
    opening, ending = begin(phrases[0].sounding[0]), begin(phrases[-1].sounding[-1]) + length(phrases[-1].sounding[-1])
    size = min(1, (ending - opening) / (2 * FRAMES_PER_S))
    added += np.interp(np.arange(frame_count), [opening, ending], [style.declination * size, -style.declination * size])
    # A question word at the very beginning carries the main accent.
    asks_how = text.rstrip("\"' )").endswith("?") and not asks_yes_or_no(text)

    previous_peak = -frame_count
    for number, phrase in enumerate(phrases):
        first, last = begin(phrase.sounding[0]), begin(phrase.sounding[-1]) + length(phrase.sounding[-1])
        is_final = number == len(phrases) - 1
        if len(phrases) > 1:
            inside = np.arange(first, last)
            added[inside] += np.interp(inside, [first, last], [RESET, -RESET])
        for index, k in enumerate(phrase.accents):
            peak = begin(k) + 0.6 * length(k)
            if asks_how and number == 0 and index == 0:
                height = ACCENT_QUESTION_WORD
            elif peak - previous_peak < CROWDED_S * FRAMES_PER_S:
                height = ACCENT_CROWDED
            elif index == len(phrase.accents) - 1:
                height = ACCENT_LAST
            else:
                height = ACCENT_FIRST if index == 0 else ACCENT
            added += bump(frame_count, peak, height)
            previous_peak = peak
        nucleus = begin(phrase.accents[-1]) + 0.6 * length(phrase.accents[-1]) if phrase.accents else first
        boundary = BOUNDARY_S * FRAMES_PER_S
        if not is_final:
            rising = np.clip((np.arange(frame_count) - (last - boundary)) / boundary, 0, 1) ** 1.5
            rising[last:] *= np.clip(1 - np.arange(frame_count - last) / 10, 0, 1)
            added += CONTINUATION_RISE * rising
        elif not asks_yes_or_no(text):
            falling_from = min(nucleus, last - boundary)
            span = max(last - falling_from, 1)
            added -= style.final_fall * np.clip((np.arange(frame_count) - falling_from) / span, 0, 1) ** 1.2
    if phonemes and phonemes[-1] == "!":
        added *= EXCLAIMED
    return added - style.mean


def with_melody(text, phonemes, counts, frames, style):
    """The teacher's frames with the pitch of a speaker who knows what the sentence says."""
    pitch = frames[:, 0]
    voiced = (pitch > 50) & (pitch < 400)
    if voiced.sum() < 8:
        return frames
    log_pitch = np.interp(np.arange(len(pitch)), np.flatnonzero(voiced), np.log(pitch[voiced]))
    mean = log_pitch[voiced].mean()
    sung = mean + style.pitch_scale * (log_pitch - mean) + SEMITONE * contour(text, phonemes, counts, style)
    if asks_yes_or_no(text):
        sung = with_question_rise(phonemes, counts, sung, mean)
    frames = frames.copy()
    frames[voiced, 0] = np.exp(sung[voiced])
    return frames


def with_question_rise(phonemes, counts, log_pitch, mean):
    """Low on the last stressed vowel, then up to the end."""
    phrase = phrases_of(phonemes)[-1]
    counts = counts.astype(int)
    starts = np.cumsum(counts) - counts
    start = int(starts[place_of(phrase.accents[-1] if phrase.accents else phrase.sounding[0])])
    last = phrase.sounding[-1]
    end = int(starts[place_of(last)] + counts[place_of(last)])
    time = np.arange(len(log_pitch))
    low = mean - SEMITONE
    line = low + (mean + QUESTION_TOP * SEMITONE - low) * np.clip((time - start) / max(end - start, 25), 0, 1) ** 1.2
    into = np.clip((time - start + 12) / 24, 0, 1)
    return (1 - into) * log_pitch + into * line
