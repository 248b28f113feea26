#!/usr/bin/env python3
"""Synthesizes sentences with the teacher, Kokoro-82M, into shards of training data.

generate.py KOKORO.onnx STYLES TEXTS SHARDS --hours 18.6              STYLES/af_heart.bin …, TEXTS/en.jsonl … of phonemize.ts
generate.py KOKORO.onnx STYLES TEXTS SHARDS --hours 67 --prosody      without sound, which takes a fraction of the time

A shard has up to 24 sentences of one voice: symbols (ids without pads) and frames of each, per frame of 12.5 ms f0 (Hz, 0 where
unvoiced), energy and phase (cycles), audio (int16, 24 kHz), per sentence lengths (symbols), totals (frames) and numbers.
Shards that exist are kept and count for the hours.
"""
import argparse
import json
import os
import queue
import time

import numpy as np
import torch
import torch.multiprocessing as mp

from teacher import DURATIONS, ENERGY, PITCH, WAVEFORM, Graph
from tokens import symbol_frames, tokenize
from voices import TEACHER_VOICES

SHARD = 24                            # sentences
FRAMES_PER_HOUR = 80 * 3600
MAX_TOKENS = 480                      # a style has a row for each length up to 510
CONCATENATED = ("symbols", "frames", "f0", "energy", "phase", "audio")


def read_lines(texts, language):
    with open(os.path.join(texts, language + ".jsonl"), encoding="utf-8") as file:
        return file.readlines()


def shard_path(folder, voice, first, sound):
    return os.path.join(folder, f"{voice}-{'sound' if sound else 'prosody'}-{first:06d}.npz")


def plan_shards(texts, sound):
    """[(voice number, first, last)] of all shards, the voices in turn by their shares.

    Voices of one language share its sentences: each has a part of its own. With sound they are taken from the beginning of a
    part, without sound from its end, so that the two differ while there are enough."""
    entries = []
    for language in {voice.locale[:2] for voice in TEACHER_VOICES}:
        speakers = [number for number, voice in enumerate(TEACHER_VOICES) if voice.locale.startswith(language)]
        count, first = len(read_lines(texts, language)), 0
        total_share = sum(TEACHER_VOICES[number].share for number in speakers)
        for number in speakers:
            end = min(count, first + round(count * TEACHER_VOICES[number].share / total_share))
            shards = [(number, at, min(at + SHARD, end)) for at in range(first, end, SHARD)]
            for at, shard in enumerate(shards if sound else reversed(shards)):
                entries.append(((at + 1) / TEACHER_VOICES[number].share, *shard))
            first = end
    return [entry[1:] for entry in sorted(entries)]


class Teacher:
    def __init__(self, args):
        import onnx
        outputs = [DURATIONS, PITCH, ENERGY] + ([] if args.prosody else [WAVEFORM])
        self.graph, self.device, self.folder, self.styles = Graph(onnx.load(args.model), args.device, outputs), args.device, args.styles, {}

    def style(self, name):
        if name not in self.styles:
            style = np.fromfile(os.path.join(self.folder, name + ".bin"), np.float32).reshape(-1, 1, 256)
            self.styles[name] = torch.from_numpy(style).to(self.device)
        return self.styles[name]

    def synthesize(self, row, voice):
        """Training data of a sentence, or None if it is too long or the parts do not fit together."""
        groups = tokenize(row["phonemes"], voice.locale[:2])
        tokens = [token for group, _ in groups for token in group]
        symbols = [number for number in row["ids"] if number != 0]
        if not 3 <= len(tokens) < MAX_TOKENS or len(symbols) != len(row["phonemes"]) + 2:
            return None
        result = self.graph.run({"input_ids": torch.tensor([[0, *tokens, 0]]).to(self.device), "style": self.style(voice.style)[len(tokens)],
                                 "speed": torch.ones(1, device=self.device)})
        f0, energy = result[1].reshape(-1), result[2].reshape(-1)
        # the teacher's durations count frames of 25 ms
        frames = symbol_frames(result[0].reshape(-1).cpu().numpy().astype(int) * 2, groups)
        if len(frames) != len(symbols) or sum(frames) != len(f0):
            return None
        data = {"symbols": np.array(symbols, np.uint8), "frames": np.array(frames, np.int16), "f0": f0.half().cpu().numpy(),
                "energy": energy.half().cpu().numpy(), "phase": ((f0.double() / 80).cumsum(0) % 1.0).float().cpu().numpy()}
        if len(result) > 3:
            audio = result[3].reshape(-1)
            if len(audio) != 300 * len(f0) or not torch.isfinite(audio).all():
                return None
            data["audio"] = (audio.clamp(-1, 1) * 32767).round().to(torch.int16).cpu().numpy()
        return data


def write_shard(path, voice, rows):
    """rows: [(number of the sentence, its data)]"""
    arrays = {name: np.concatenate([data[name] for _, data in rows]) for name in CONCATENATED if name in rows[0][1]}
    np.savez(path + ".part.npz", **arrays, speaker=np.array(voice), lengths=np.array([len(data["symbols"]) for _, data in rows]),
             totals=np.array([len(data["f0"]) for _, data in rows]), numbers=np.array([number for number, _ in rows]))
    os.replace(path + ".part.npz", path)


def run_worker(number, args, jobs, results, is_complete):
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(number)
    teacher, texts = Teacher(args), {}
    while not is_complete.is_set():
        try:
            speaker, first, last = jobs.get(timeout=1)
        except queue.Empty:
            break
        voice = TEACHER_VOICES[speaker]
        language = voice.locale[:2]
        if language not in texts:
            texts[language] = read_lines(args.texts, language)
        rows = []
        for at in range(first, last):
            try:
                data = teacher.synthesize(json.loads(texts[language][at]), voice)
            except RuntimeError as error:        # one sentence, or the device's memory; the others go on
                print("sentence", at, repr(error)[:300], flush=True)
                continue
            if data is not None:
                rows.append((at, data))
        if rows:
            write_shard(shard_path(args.shards, voice.name, first, not args.prosody), voice.name, rows)
        results.put((voice.name, sum(len(data["f0"]) for _, data in rows)))
    results.put(None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "styles", "texts", "shards"):
        parser.add_argument(name)
    parser.add_argument("--hours", type=float, required=True)
    parser.add_argument("--prosody", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    os.makedirs(args.shards, exist_ok=True)
    mp.set_start_method("spawn")
    jobs, results, is_complete, hours = mp.Queue(), mp.Queue(), mp.Event(), {voice.name: 0.0 for voice in TEACHER_VOICES}
    for speaker, first, last in plan_shards(args.texts, not args.prosody):
        path = shard_path(args.shards, TEACHER_VOICES[speaker].name, first, not args.prosody)
        if os.path.exists(path):
            hours[TEACHER_VOICES[speaker].name] += int(np.load(path)["totals"].sum()) / FRAMES_PER_HOUR
        elif not os.path.exists(shard_path(args.shards, TEACHER_VOICES[speaker].name, first, True)):
            jobs.put((speaker, first, last))
    if sum(hours.values()) >= args.hours:
        return
    workers = [mp.Process(target=run_worker, args=(number, args, jobs, results, is_complete)) for number in range(args.workers)]
    for worker in workers:
        worker.start()
    left, start, shown = len(workers), time.time(), 0.0
    while left and any(worker.is_alive() for worker in workers):
        try:
            result = results.get(timeout=5)
        except queue.Empty:
            continue
        if result is None:
            left -= 1
            continue
        hours[result[0]] += result[1] / FRAMES_PER_HOUR
        if sum(hours.values()) >= args.hours:
            is_complete.set()
        if time.time() - shown > 10:
            shown = time.time()
            print(f"{shown - start:.0f} s: " + ", ".join(f"{name} {value:.2f} h" for name, value in hours.items()), flush=True)
    jobs.cancel_join_thread()
    print(f"{sum(hours.values()):.2f} h of speech, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
