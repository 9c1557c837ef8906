"""The trainable model of each family."""

from demo.gemma4 import Gemma4
from demo.laguna import Laguna
from demo.qwen3 import Qwen3
from demo.qwen35 import Qwen35

MODELS = {"qwen35": Qwen35, "gemma4": Gemma4, "laguna": Laguna, "drafter": Qwen3}
