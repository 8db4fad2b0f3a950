"""A small decoder-only transformer, sharded over all ranks."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard

TOKENS, LENGTH = 64, 16


class Block(nn.Module):
    """A pre-norm transformer block with dropout."""

    def __init__(self, width, heads, dropout):
        """Make a block of `width` features."""
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.heads, self.drop = heads, nn.Dropout(dropout)

    def forward(self, x):
        """Return (batch, length, width) from (batch, length, width)."""
        batch, length, width = x.shape
        parts = self.mix(self.first(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.drop(self.out(seen.transpose(1, 2).reshape(batch, length, width)))
        return x + self.drop(self.feed(self.second(x)))


class Transformer(nn.Module):
    """Embeddings, blocks and an untied output layer."""

    def __init__(self, width=32, layers=2, heads=4, dropout=0.1):
        """Make a model with fresh weights from torch's random state."""
        super().__init__()
        self.token, self.place = nn.Embedding(TOKENS, width), nn.Embedding(LENGTH, width)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, TOKENS)

    def forward(self, tokens):
        """Return logits (batch, length, TOKENS) for tokens (batch, length)."""
        x = self.token(tokens) + self.place(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def sharded(model, mesh):
    """Shard a model over a mesh, block by block, and return it."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)
