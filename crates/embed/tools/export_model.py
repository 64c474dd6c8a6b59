"""Writes ../assets/all-minilm-l6-v2.int8.mlm: the reference model, quantised and laid out to be used in place.

usage: python export_model.py

Everything is little-endian; every part after the header begins at a multiple of 64 bytes.

header       b"MLM2", then u32: tokens, dimension, hash slots
vocabulary   u32 slots[65536] (FNV-1a, linear probing, 0xffffffff for empty), u32 offsets[tokens + 1], the text
embeddings   f16 scales[tokens][12], then two 4-bit numbers a byte, the first in the low half, 8 added to each
positions    f16[256][384], the embedding of token type 0 included
norm         f32 gain[384], f32 bias[384]
6 layers     query+key+value, attention output, norm, up, down, norm; each matrix as
             f32 scales[n], f32 biases[n], i32 sums of weights[n], i8 weights[n/16][k/4][16][4]
"""

import hashlib
import struct
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from reference import TOKENS, model_directory

OUTPUT = Path(__file__).parent.parent / "assets" / "all-minilm-l6-v2.int8.mlm"
SHA256 = "c57b406d6de2750cf05bf4cdb9cac57afcad3d29ac484baf66fdcaf1fff5ed80"
DIMENSION, SLOTS, EMPTY, GROUP, LAYERS = 384, 1 << 16, 0xFFFFFFFF, 32, 6


def part(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 64)


def floats(array: np.ndarray) -> bytes:
    return part(np.ascontiguousarray(array, np.float32).tobytes())


def fnv(data: bytes) -> int:
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return digest


def vocabulary(pieces: list[bytes]) -> bytes:
    slots = np.full(SLOTS, EMPTY, np.uint32)
    for token, piece in enumerate(pieces):
        slot = fnv(piece) % SLOTS
        while slots[slot] != EMPTY:
            slot = (slot + 1) % SLOTS
        slots[slot] = token
    offsets = np.zeros(len(pieces) + 1, np.uint32)
    offsets[1:] = np.cumsum([len(piece) for piece in pieces])
    return slots.tobytes() + offsets.tobytes() + b"".join(pieces)


def embeddings(words: np.ndarray) -> bytes:
    groups = words.reshape(-1, GROUP)
    scales = (np.abs(groups).max(1, keepdims=True) / 7).astype(np.float16)
    scales[scales == 0] = 1
    steps = np.clip(np.rint(groups / scales.astype(np.float32)), -8, 7) + 8
    steps = steps.astype(np.uint8).reshape(words.shape)
    return part(scales.tobytes()) + part((steps[:, 0::2] | (steps[:, 1::2] << 4)).tobytes())


def linear(weights: np.ndarray, biases: np.ndarray) -> bytes:
    scales = np.abs(weights).max(1, keepdims=True) / 127
    scales[scales == 0] = 1
    steps = np.clip(np.rint(weights / scales), -127, 127).astype(np.int8)
    outputs, inputs = steps.shape
    packed = steps.reshape(outputs // 16, 16, inputs // 4, 4).transpose(0, 2, 1, 3)
    sums = part(steps.astype(np.int32).sum(1).astype(np.int32).tobytes())
    return floats(scales[:, 0]) + floats(biases) + sums + part(np.ascontiguousarray(packed).tobytes())


def layer(tensors: dict[str, np.ndarray], number: int) -> bytes:
    def tensor(name: str) -> np.ndarray:
        return tensors[f"encoder.layer.{number}.{name}"]

    def matrix(*names: str) -> bytes:
        weights = np.concatenate([tensor(f"{name}.weight") for name in names])
        return linear(weights, np.concatenate([tensor(f"{name}.bias") for name in names]))

    def norm(name: str) -> bytes:
        return floats(tensor(f"{name}.weight")) + floats(tensor(f"{name}.bias"))

    return b"".join([
        matrix("attention.self.query", "attention.self.key", "attention.self.value"),
        matrix("attention.output.dense"),
        norm("attention.output.LayerNorm"),
        matrix("intermediate.dense"),
        matrix("output.dense"),
        norm("output.LayerNorm"),
    ])


def main() -> None:
    tensors = load_file(model_directory() / "model.safetensors")
    pieces = [line.encode() for line in (model_directory() / "vocab.txt").read_text("utf8").split("\n")[:-1]]
    position = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    header = b"MLM2" + struct.pack("<III", len(pieces), DIMENSION, SLOTS)
    model = b"".join([
        part(header + vocabulary(pieces)),
        embeddings(tensors["embeddings.word_embeddings.weight"]),
        part(position[:TOKENS].astype(np.float16).tobytes()),
        floats(tensors["embeddings.LayerNorm.weight"]),
        floats(tensors["embeddings.LayerNorm.bias"]),
        *(layer(tensors, number) for number in range(LAYERS)),
    ])
    OUTPUT.write_bytes(model)
    digest = hashlib.sha256(model).hexdigest()
    print(f"{len(model)} bytes, sha256 {digest}, {'as measured' if digest == SHA256 else 'NOT the one measured'}")


if __name__ == "__main__":
    main()
