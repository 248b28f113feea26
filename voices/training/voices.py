#!/usr/bin/env python3
"""The built-in voices. As a script: writes their configurations, FOLDER/LOCALE-NAME-medium.onnx.json."""
import argparse
import json
import os
from collections import namedtuple

import german

# style: the teacher's, None for a voice of recordings; share: of the teacher speech, in sentences
Voice = namedtuple("Voice", "name locale style share")
VOICES = [Voice("aspen", "en_US", "af_heart", 30), Voice("cedar", "en_US", "am_michael", 20), Voice("saule", "fr_FR", "ff_siwis", 20),
          Voice("encina", "es_ES", "ef_dora", 17), Voice("roble", "es_ES", "em_alex", 10),
          Voice("buche", "de_DE", None, 0)]
TEACHER_VOICES = [voice for voice in VOICES if voice.style]     # trained on the teacher; the others follow them in VOICES
# A sound begins so much before the durations say, as the teacher's does: median of the fricatives of all voices, 38 to 75 ms.
DURATIONS_LEAD_MS = 55
LOCALES = {"en_US": ("en-us", "English", "English", "United States"), "fr_FR": ("fr", "Français", "French", "France"),
           "es_ES": ("es", "Español", "Spanish", "Spain"), "de_DE": ("de", "Deutsch", "German", "Germany")}


def configuration(voice, voices):
    espeak, native, english, country = LOCALES[voice.locale]
    family, region = voice.locale.split("_")
    is_german = family == german.LANGUAGE
    return {
        "dataset": voice.name,
        "audio": {"sample_rate": 24000, "quality": "medium"},
        "espeak": {"voice": espeak},
        "language": {"code": voice.locale, "family": family, "region": region, "name_native": native, "name_english": english,
                     "country_english": country},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "phoneme_type": "espeak",
        "phoneme_map": german.PHONEME_MAP if is_german else {},
        "phoneme_id_map": german.symbol_ids() if is_german else german.read_symbols(),
        "num_symbols": 256,
        "num_speakers": len(voices),
        "speaker_id_map": {voice.name: number for number, voice in enumerate(voices)},
        "hop_length": 300,
        "durations_lead_ms": DURATIONS_LEAD_MS if voice.style else 0,
        "piper_version": "1.0.0",
    }


def write_configurations(folder, voices):
    os.makedirs(folder, exist_ok=True)
    for voice in voices:
        with open(f"{folder}/{voice.locale}-{voice.name}-medium.onnx.json", "w", encoding="utf-8") as file:
            json.dump(configuration(voice, voices), file, indent=2, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--teacher-only", action="store_true", help="only the voices that need no recordings")
    args = parser.parse_args()
    write_configurations(args.folder, TEACHER_VOICES if args.teacher_only else VOICES)


if __name__ == "__main__":
    main()
