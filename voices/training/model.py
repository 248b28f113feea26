"""The student: phoneme ids -> durations -> a frame of sound every 10 ms.

A frame holds whether it is voiced, the logarithm of the pitch, 25 mel-cepstra and how strongly each of five bands is
voiced. All layers are convolutions: each symbol sees about 60 symbols to either side. vocoder.py makes it audible.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

CEPSTRA, BANDS = 25, 5
FRAME_SIZE = 2 + CEPSTRA + BANDS
TEACHER_FRAMES = 2  # of 5 ms in one of the student's
SYMBOLS = 256


class ChannelNorm(nn.Module):
    """Layer norm over the channels of [batch, channels, time]."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels)

    def forward(self, x):
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class Block(nn.Module):
    """Residual: norm, dilated convolution, leaky ReLU, projection."""

    bfloat16 = False  # in training, for all blocks; what they add up stays in 32 bits

    def __init__(self, channels, kernel, dilation, dropout=0.0):
        super().__init__()
        self.norm = ChannelNorm(channels)
        self.dilated = nn.Conv1d(channels, channels, kernel, padding=(kernel - 1) // 2 * dilation, dilation=dilation)
        self.projection = nn.Conv1d(channels, channels, 1)
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self.projection.weight.mul_(0.5)

    def forward(self, x, mask):
        if self.bfloat16:
            with torch.autocast(x.device.type, dtype=torch.bfloat16):
                return x + self.dropout(self.change(x, mask).float())
        return x + self.dropout(self.change(x, mask))

    def change(self, x, mask):
        return self.projection(F.leaky_relu(self.dilated(self.norm(x) * mask), 0.1))


class Student(nn.Module):
    def __init__(self, encoder=192, decoder=192, encoder_dilations=(1, 2, 4, 8, 16, 32), decoder_dilations=(1, 2, 4, 1, 2, 4), dropout=0.05):
        super().__init__()
        self.config = dict(
            encoder=encoder,
            decoder=decoder,
            encoder_dilations=tuple(encoder_dilations),
            decoder_dilations=tuple(decoder_dilations),
            dropout=dropout,
        )
        self.embedding = nn.Embedding(SYMBOLS, encoder)
        self.encoder = nn.ModuleList([Block(encoder, 5, d, dropout) for d in encoder_dilations])
        self.encoder_norm = ChannelNorm(encoder)
        self.encoder_out = nn.Conv1d(encoder, encoder, 1)
        self.duration = nn.ModuleList([Block(encoder, 3, 1, dropout), Block(encoder, 3, 2, dropout)])
        self.duration_norm = ChannelNorm(encoder)
        self.duration_out = nn.Conv1d(encoder, 1, 1)
        self.decoder_in = nn.Conv1d(encoder + 7, decoder, 1)
        self.decoder = nn.ModuleList([Block(decoder, 3, d) for d in decoder_dilations])
        self.decoder_norm = ChannelNorm(decoder)
        self.decoder_out = nn.Conv1d(decoder, FRAME_SIZE, 1)
        self.register_buffer("mean", torch.zeros(FRAME_SIZE))
        self.register_buffer("std", torch.ones(FRAME_SIZE))

    def encode(self, ids, mask):
        """ids [B, N], mask [B, 1, N] -> what each symbol means [B, C, N], log(1 + duration in 5 ms) [B, N]"""
        x = self.embedding(ids).transpose(1, 2)
        for block in self.encoder:
            x = block(x, mask)
        meaning = self.encoder_out(self.encoder_norm(x))
        x = meaning
        for block in self.duration:
            x = block(x, mask)
        return meaning, self.duration_out(self.duration_norm(x))[:, 0] * mask[:, 0]

    @staticmethod
    def spread(meaning, durations, times):
        """meaning [B, C, N], durations [B, N] and frame centres [B, T] in 5 ms -> [B, C + 7, T]

        The frame at a time belongs to the symbol whose interval covers it; the decoder is also told where in it.
        """
        ends = torch.cumsum(durations, 1)
        passed = (ends.unsqueeze(1) <= times.unsqueeze(2)).float().sum(2).long()
        index = passed.clamp(max=durations.shape[1] - 1)
        end, length = torch.gather(ends, 1, index), torch.gather(durations, 1, index)
        since, until = times - (end - length), end - times
        share = since / (length + 1e-3)
        place = torch.stack(
            [
                share,
                1 - share,
                torch.log1p(length) / 3,
                since.clamp(0, 20) / 10,
                until.clamp(0, 20) / 10,
                torch.sin(math.pi * share),
                torch.cos(math.pi * share),
            ],
            1,
        )
        return torch.cat([torch.gather(meaning, 2, index.unsqueeze(1).expand(-1, meaning.shape[1], -1)), place], 1)

    def decode(self, x, mask):
        """Frames [B, FRAME_SIZE, T], each value with mean 0 and deviation 1."""
        x = self.decoder_in(x)
        for block in self.decoder:
            x = block(x, mask)
        return self.decoder_out(self.decoder_norm(x))

    def in_units(self, frames):
        return frames * self.std.view(1, -1, 1) + self.mean.view(1, -1, 1)


def frame_centres(count):
    """The times of so many frames, in 5 ms."""
    return (torch.arange(count).float() + 0.5) * TEACHER_FRAMES


def load_student(path):
    """The student, and the ids that it has met in training."""
    checkpoint = torch.load(path, map_location="cpu")
    student = Student(**checkpoint["config"])
    student.load_state_dict(checkpoint["model"])
    return student.eval(), checkpoint["symbols"]
