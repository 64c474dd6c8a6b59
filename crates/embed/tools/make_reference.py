"""Writes ../tests/data: what the reference tokenizer and model make of the texts in ../tests/data/texts.txt.

usage: python make_reference.py

texts.txt     one text a line, written by hand; \\n, \\t, \\\\ and \\u{...} are escapes
tokens.txt    its token ids, [CLS] and [SEP] included, cut at 256
vectors.i8    its vector by the unquantised model: a scale (little-endian f32) and 384 signed bytes each

Also prints the digest of what the tokenizer makes of every character, for `src/tokenizer/tests.rs`.
"""

import re
from pathlib import Path

import numpy as np
import torch
from transformers import BertModel

from reference import model_directory, tokenizer

DATA = Path(__file__).parent.parent / "tests" / "data"


def unescaped(line: str) -> str:
    plain = {"n": "\n", "t": "\t", "\\": "\\"}
    return re.sub(r"\\(?:u\{([0-9a-f]+)\}|(.))", lambda m: chr(int(m[1], 16)) if m[1] else plain[m[2]], line)


def quantised(vector: np.ndarray) -> bytes:
    scale = np.float32(np.abs(vector).max() / 127)
    return scale.tobytes() + np.rint(vector / scale).astype(np.int8).tobytes()


def digest_of_characters() -> int:
    """Folds the ids of `a<character>b <character>` for every character of the first two planes into one number."""
    reference, digest = tokenizer(truncated=False), 0xCBF29CE484222325
    points = [c for c in range(0x20000) if not 0xD800 <= c <= 0xDFFF]
    for encoding in reference.encode_batch([f"a{chr(c)}b {chr(c)}" for c in points], add_special_tokens=False):
        for token in [*encoding.ids, 0xFFFF]:
            digest = ((digest ^ token) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return digest


def main() -> None:
    texts = [unescaped(line) for line in (DATA / "texts.txt").read_text("utf8").rstrip("\n").split("\n")]
    reference = tokenizer()
    model = BertModel.from_pretrained(model_directory(), add_pooling_layer=False).eval()
    tokens, vectors = [], b""
    for text in texts:
        ids = reference.encode(text).ids
        tokens.append(" ".join(map(str, ids)))
        with torch.no_grad():
            rows = model(torch.tensor([ids])).last_hidden_state[0]
        mean = rows.mean(0).numpy()
        vectors += quantised(mean / np.linalg.norm(mean))
    (DATA / "tokens.txt").write_text("\n".join(tokens) + "\n")
    (DATA / "vectors.i8").write_bytes(vectors)
    print(f"{len(texts)} texts, digest of characters {digest_of_characters():#x}")


if __name__ == "__main__":
    main()
