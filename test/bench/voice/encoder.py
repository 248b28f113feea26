"""The text encoder: a transformer with relative positions (Shaw et al. 2018), as in VITS, section 2.2."""
import math

import torch
import torch.nn.functional as F
from torch import nn

SYMBOLS = 256
WINDOW = 4  # positions to either side that have an embedding of their own


class ChannelNorm(nn.Module):
    """Layer norm over the channels of [batch, channels, time]."""

    def __init__(self, channels):
        super().__init__()
        self.channels = channels
        # As training leaves them: the exporter makes one of parameters that are alike.
        self.gamma = nn.Parameter(1 + 0.1 * torch.randn(channels))
        self.beta = nn.Parameter(0.1 * torch.randn(channels))

    def forward(self, x):
        x = x.transpose(1, -1)
        return F.layer_norm(x, (self.channels,), self.gamma, self.beta, 1e-5).transpose(1, -1)


class Attention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads, self.head_channels = heads, channels // heads
        self.conv_q, self.conv_k, self.conv_v, self.conv_o = (nn.Conv1d(channels, channels, 1) for _ in range(4))
        for conv in (self.conv_q, self.conv_k, self.conv_v):
            nn.init.xavier_uniform_(conv.weight)
        spread = self.head_channels**-0.5
        self.emb_rel_k = nn.Parameter(torch.randn(1, 2 * WINDOW + 1, self.head_channels) * spread)
        self.emb_rel_v = nn.Parameter(torch.randn(1, 2 * WINDOW + 1, self.head_channels) * spread)

    def forward(self, x, mask):
        """x [B, C, N], mask [B, 1, N, N]"""
        batch, channels, count = x.size()
        q, k, v = (self.by_head(conv(x)) for conv in (self.conv_q, self.conv_k, self.conv_v))
        q = q / math.sqrt(self.head_channels)
        scores = torch.matmul(q, k.transpose(-2, -1))
        distances = torch.matmul(q, near(self.emb_rel_k, count).unsqueeze(0).transpose(-2, -1))
        scores = scores + by_position(distances)
        weights = F.softmax(scores.masked_fill(mask == 0, -1e4), dim=-1)
        y = torch.matmul(weights, v)
        y = y + torch.matmul(by_distance(weights), near(self.emb_rel_v, count).unsqueeze(0))
        return self.conv_o(y.transpose(2, 3).contiguous().view(batch, channels, count))

    def by_head(self, x):
        return x.view(x.size(0), self.heads, self.head_channels, x.size(2)).transpose(2, 3)


def near(embeddings, count):
    """[1, 2 WINDOW + 1, C] -> [1, 2 count - 1, C]: zeros for what is farther, a cut where the text is short."""
    beyond = count - (WINDOW + 1)
    return F.pad(embeddings, (0, 0, beyond, beyond))


def by_position(x):
    """Scores by distance [B, H, N, 2N - 1] -> by position [B, H, N, N]: rows are shifted by being laid end to end."""
    batch, heads, count, _ = x.size()
    flat = F.pad(x, (0, 1)).view(batch, heads, count * 2 * count)
    return F.pad(flat, (0, count - 1)).view(batch, heads, count + 1, 2 * count - 1)[:, :, :count, count - 1 :]


def by_distance(x):
    """Weights by position [B, H, N, N] -> by distance [B, H, N, 2N - 1]"""
    batch, heads, count, _ = x.size()
    flat = F.pad(x, (0, count - 1)).view(batch, heads, count * (2 * count - 1))
    return F.pad(flat, (count, 0)).view(batch, heads, count, 2 * count)[:, :, :, 1:]


class FeedForward(nn.Module):
    def __init__(self, channels, filter_channels, kernel):
        super().__init__()
        self.conv_1 = nn.Conv1d(channels, filter_channels, kernel)
        self.conv_2 = nn.Conv1d(filter_channels, channels, kernel)
        self.edges = ((kernel - 1) // 2, kernel // 2)

    def forward(self, x, mask):
        x = torch.relu(self.conv_1(F.pad(x * mask, self.edges)))
        return self.conv_2(F.pad(x * mask, self.edges)) * mask


class TextEncoder(nn.Module):
    def __init__(self, inter, hidden, filter_channels, heads=2, layers=6, kernel=3):
        super().__init__()
        self.inter, self.hidden = inter, hidden
        self.emb = nn.Embedding(SYMBOLS, hidden)
        nn.init.normal_(self.emb.weight, 0, hidden**-0.5)
        self.attn_layers = nn.ModuleList(Attention(hidden, heads) for _ in range(layers))
        self.norm_layers_1 = nn.ModuleList(ChannelNorm(hidden) for _ in range(layers))
        self.ffn_layers = nn.ModuleList(FeedForward(hidden, filter_channels, kernel) for _ in range(layers))
        self.norm_layers_2 = nn.ModuleList(ChannelNorm(hidden) for _ in range(layers))
        self.proj = nn.Conv1d(hidden, inter * 2, 1)

    def forward(self, ids, lengths):
        """ids [B, N] -> hidden [B, C, N], mean and log deviation of the prior [B, inter, N], mask [B, 1, N]"""
        x = (self.emb(ids) * math.sqrt(self.hidden)).transpose(1, -1)
        mask = length_mask(lengths, x.size(2)).unsqueeze(1).type_as(x)
        pairs = mask.unsqueeze(2) * mask.unsqueeze(-1)
        x = x * mask
        for attention, norm_1, feed_forward, norm_2 in zip(
            self.attn_layers, self.norm_layers_1, self.ffn_layers, self.norm_layers_2
        ):
            x = norm_1(x + attention(x, pairs))
            x = norm_2(x + feed_forward(x, mask))
        x = x * mask
        mean, log_deviation = torch.split(self.proj(x) * mask, self.inter, dim=1)
        return x, mean, log_deviation, mask


def length_mask(lengths, longest):
    """[B] -> [B, longest], true within the length"""
    places = torch.arange(longest, dtype=lengths.dtype, device=lengths.device)
    return places.unsqueeze(0) < lengths.unsqueeze(1)
