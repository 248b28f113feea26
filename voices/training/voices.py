#!/usr/bin/env python3
"""The built-in voices. As a script: writes their configurations, FOLDER/LOCALE-NAME-medium.onnx.json."""
import argparse
import json
import os
from collections import namedtuple

# style: the teacher's; share: of the teacher speech, in sentences
Voice = namedtuple("Voice", "name locale style share")
VOICES = [Voice("aspen", "en_US", "af_heart", 30), Voice("cedar", "en_US", "am_michael", 20), Voice("saule", "fr_FR", "ff_siwis", 20),
          Voice("encina", "es_ES", "ef_dora", 17), Voice("roble", "es_ES", "em_alex", 10)]
# A sound begins so much before the durations say, as the teacher's does: median of the fricatives of all voices, 38 to 75 ms.
DURATIONS_LEAD_MS = 55
LOCALES = {"en_US": ("en-us", "English", "English", "United States"), "fr_FR": ("fr", "Français", "French", "France"),
           "es_ES": ("es", "Español", "Spanish", "Spain")}


def configuration(voice):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "symbols.json"), encoding="utf-8") as file:
        symbols = json.load(file)
    espeak, native, english, country = LOCALES[voice.locale]
    family, region = voice.locale.split("_")
    return {
        "dataset": voice.name,
        "audio": {"sample_rate": 24000, "quality": "medium"},
        "espeak": {"voice": espeak},
        "language": {"code": voice.locale, "family": family, "region": region, "name_native": native, "name_english": english,
                     "country_english": country},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "phoneme_type": "espeak",
        "phoneme_map": {},
        "phoneme_id_map": symbols,
        "num_symbols": 256,
        "num_speakers": len(VOICES),
        "speaker_id_map": {voice.name: number for number, voice in enumerate(VOICES)},
        "hop_length": 300,
        "durations_lead_ms": DURATIONS_LEAD_MS,
        "piper_version": "1.0.0",
    }


def write_configurations(folder):
    os.makedirs(folder, exist_ok=True)
    for voice in VOICES:
        with open(f"{folder}/{voice.locale}-{voice.name}-medium.onnx.json", "w", encoding="utf-8") as file:
            json.dump(configuration(voice), file, indent=2, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    write_configurations(parser.parse_args().folder)


if __name__ == "__main__":
    main()
